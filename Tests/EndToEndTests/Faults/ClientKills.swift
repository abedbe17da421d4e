import Foundation
import Testing
import UploadTesting
import Uploads

/// Runs the program `killed-client` repeatedly with the same directory of notes, and kills most runs at a random moment.
struct ClientKills {
    /// The number of uploads that each run starts.
    private static let uploadCount = 6

    let kind: String
    /// The directory of the notes.
    let directory: URL
    let environment: [String: String]
    let seed: UInt64
    private let logs: URL

    init(_ kind: String, in directory: URL, environment: [String: String] = [:]) throws {
        self.kind = kind
        self.directory = directory
        self.environment = environment
        seed =
            ProcessInfo.processInfo.environment["LONGSHORE_SOAK_SEED"].flatMap { UInt64($0) }
            ?? .random(in: 0...UInt64(UInt32.max))
        logs = directory.appending(path: "runs")
        try FileManager.default.createDirectory(at: logs, withIntermediateDirectories: true)
    }

    /// The program's notes, one line each.
    func notes(_ word: String) throws -> [[String]] {
        let text = (try? String(contentsOf: directory.appending(path: "notes"), encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
            .filter { $0[0] == word }.map { Array($0.dropFirst()) }
    }

    /// Kills the given number of runs, then lets one run finish. Enough kills must hit: some uploads were accepted, and some run was
    /// killed while an upload was on its way to the queue.
    /// - Parameter starting: the folder with the records of such uploads.
    func kill(_ times: Int, leavingRecordsIn starting: URL) async throws {
        var random = SeededGenerator(seed: seed)
        var kills = 0
        var killsWhileStarting = 0
        var run = 0
        // Follows the duration of a run on this machine, so that about two of three runs are killed, at any moment of their lives.
        var longest = 400_000.0
        while kills < times {
            run += 1
            let moment = Int(Double.random(in: 0..<longest, using: &random))
            let status = try await end(of: run, starting: Self.uploadCount, killedAfter: moment)
            let isKilled = status == 128 + SIGKILL
            #expect(isKilled || status == 0, "run \(run) of seed \(seed) ended with \(status): \(errors(of: run))")
            kills += isKilled ? 1 : 0
            // The first runs may be killed before there is such a folder.
            if isKilled, (try? records(in: starting))?.isEmpty == false { killsWhileStarting += 1 }
            longest *= isKilled ? 1.03 : 0.92
        }
        let status = try await end(of: run + 1, starting: 0)
        #expect(status == 0, "\(errors(of: run + 1))")
        let accepted = try notes("accepted").count
        print(
            "killed clients (\(kind)): seed \(seed), \(run) runs, \(kills) killed, \(killsWhileStarting) while an upload started, "
                + "\(accepted) uploads accepted")
        #expect(accepted >= times, "seed \(seed): too few uploads to say anything")
        #expect(killsWhileStarting > 0, "seed \(seed): no kill came between a record and the queue's entry")
    }

    private func end(of run: Int, starting count: Int, killedAfter microseconds: Int? = nil) async throws -> Int32 {
        var arguments = [kind, directory.path, "\(run)", "\(count)"]
        if let microseconds { arguments.append("\(microseconds)") }
        let program = try RunningProgram(
            Program.built("killed-client"), arguments,
            environment: environment, directory: directory, logs: logs, name: "\(run)")
        do {
            try await eventually("run \(run) of seed \(seed) ends", within: .seconds(180)) { !program.isRunning }
        } catch {
            program.signal(SIGKILL)
            _ = await program.wait()
            throw error
        }
        return await program.wait()
    }

    private func errors(of run: Int) -> String {
        let text = (try? String(contentsOf: logs.appending(path: "\(run).err"), encoding: .utf8)) ?? ""
        return String(text.suffix(2000))
    }

    /// Every accepted upload has one outcome, under the one id of its round, and no upload waits any more.
    func expectEverythingTold() throws {
        let accepted = Set(try notes("accepted").map { $0[0] })
        let told = try notes("told")
        let toldIDs: [String] = told.map { String($0[0].dropLast(".1.ended".count)) }
        let untold = accepted.subtracting(toldIDs)
        #expect(untold.isEmpty, "seed \(seed): \(untold.count) of \(accepted.count) accepted uploads were never told")
        #expect(told.allSatisfy { $0[0].hasSuffix(".1.ended") })
        let (lines, eventIDs) = (told.map { $0.joined(separator: " ") }, told.map { $0[0] })
        #expect(Set(lines).count == Set(eventIDs).count)
        #expect(try notes("open") == [["0"]], "seed \(seed): records are left open")
        let idsOfNames = Dictionary(grouping: try notes("accepted"), by: { $0[1] }).mapValues { Set($0.map { $0[0] }) }
        #expect(idsOfNames.values.allSatisfy { $0.count == 1 }, "seed \(seed): a name has two uploads")
    }

    /// The uploaded files are complete.
    func expectArrived(in folder: URL) throws {
        for name in Set(try notes("accepted").map { $0[1] }) {
            let content = try Data(contentsOf: folder.appending(path: name))
            let line = Data("\(name)\n".utf8)
            let isWhole =
                content.count >= 1000 && content.count.isMultiple(of: line.count)
                && stride(from: 0, to: content.count, by: line.count).allSatisfy {
                    content[$0..<$0 + line.count] == line
                }
            #expect(isWhole, "\(name) has \(content.count) bytes")
        }
    }

    /// The records that are left. A file that was still being written does not count.
    func records(in folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { !$0.hasPrefix(".") }
    }

    /// The copies that are left in a staging area, unfinished ones included.
    func copies(in area: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: area.path).filter { name in
            UUID(uuidString: String(name.drop { $0 == "." }.prefix(36))) != nil
        }
    }
}
