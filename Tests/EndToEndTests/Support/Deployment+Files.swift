import Foundation
import GRDB
import Glibc
import Testing
import UploadNotifier
import UploadTesting

extension Deployment {
    /// Makes a file of random bytes in the deployment's folder `files`.
    func makeFile(_ name: String, bytes: Int) throws -> URL {
        let url = path.appending(path: "files").appending(path: name)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        _ = FileManager.default.createFile(atPath: url.path, contents: nil)
        let random = try FileHandle(forReadingFrom: URL(filePath: "/dev/urandom"))
        let file = try FileHandle(forWritingTo: url)
        var left = bytes
        while left > 0 {
            let chunk = try #require(try random.read(upToCount: min(left, 8 << 20)))
            try file.write(contentsOf: chunk)
            left -= chunk.count
        }
        try file.close()
        return url
    }

    /// The SHA-256 digests of files, computed by sha256sum.
    func digests(of files: [URL]) async throws -> [String] {
        let lines = try await Shell.run(["sha256sum", "--zero", "--"] + files.map(\.path)).split(separator: "\0")
        try #require(lines.count == files.count)
        return lines.map { String($0.prefix(64)) }
    }

    func expectArrived(_ key: String, like original: URL) throws {
        let arrived = uploaded.appending(path: key)
        try #require(FileManager.default.fileExists(atPath: arrived.path), "\(key) is not there")
        #expect(
            FileManager.default.contentsEqual(atPath: original.path, andPath: arrived.path),
            "\(key) is not what was enqueued")
    }

    /// The outcomes that the notifier delivered to its log delegate, in order. An incomplete line does not count.
    func toldOutcomes() throws -> [[String: Any]] {
        guard let data = try? Data(contentsOf: events), let end = data.lastIndex(of: UInt8(ascii: "\n")) else {
            return []
        }
        return try data[..<end].split(separator: UInt8(ascii: "\n")).map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
        }
    }

    /// The number of outcomes, without reading them.
    func toldCount() throws -> Int {
        guard let data = try? Data(contentsOf: events) else { return 0 }
        return data.count { $0 == UInt8(ascii: "\n") }
    }

    /// Waits until the notifier has delivered this many outcomes, and returns them. An outcome that a killed notifier has delivered twice
    /// counts once.
    @discardableResult
    func waitForOutcomes(_ count: Int, within limit: Duration = .seconds(300)) async throws -> [[String: Any]] {
        try await eventually("\(count) outcomes are told", within: limit) {
            guard try self.toldCount() >= count else { return false }
            return Set(try self.toldOutcomes().compactMap { $0["id"] as? String }).count >= count
        }
        return try toldOutcomes()
    }

    /// Waits until the notifier has delivered the outcome of a job, and returns it.
    func waitForOutcome(of id: String) async throws -> [String: Any] {
        var found: [String: Any]?
        try await eventually("the outcome of \(id) is told") {
            found = try self.toldOutcomes().last { $0["subject"] as? String == id }
            return found != nil
        }
        return try #require(found)
    }

    /// The disk space of the unfinished files at a directory destination; their blocks are allocated when they are opened.
    func bytesInUnfinishedFiles() -> Int64 {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: uploaded.path)) ?? []
        return names.filter { $0.hasPrefix(".") }.reduce(0) { sum, name in
            sum + ((try? FileFacts(uploaded.appending(path: name).path).bytesOnDisk) ?? 0)
        }
    }

    /// The files in the staging area, without digests and the area's id.
    func stagedFiles() -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: staging.path)) ?? []
        return names.filter { !$0.hasPrefix(".") && $0 != "id" }
    }

    /// The recorded events of a job, a line each, in their order.
    func history(of id: String) throws -> String {
        try queryLedger(
            "SELECT plain(body) FROM events WHERE job = (SELECT seq FROM jobs WHERE id = '\(id)') ORDER BY seq"
        ).joined(separator: "\n")
    }

    /// The rows of a query on the ledger, or on another one, with columns joined by `|`. In SQLite `plain(record)` is the JSON of a job's
    /// row, `plain(body)` that of an event's.
    func queryLedger(_ sql: String, in other: URL? = nil) throws -> [String] {
        if let database, other == nil {
            return try PostgreSQLNode.query(sql, schema: PostgreSQLLedger.standardSchema, at: database)
        }
        return try withLedger(other ?? ledger, isReadOnly: true) { db in
            try Row.fetchAll(db, sql: sql).map { row in row.databaseValues.map(Self.text).joined(separator: "|") }
        }
    }

    /// Whether the ledger has a table already.
    func hasTable(_ name: String) throws -> Bool {
        if database != nil { return try queryLedger("SELECT to_regclass('\(name)') IS NOT NULL") == ["t"] }
        return try FileManager.default.fileExists(atPath: ledger.path)
            && queryLedger("SELECT name FROM sqlite_master WHERE name = '\(name)'") == [name]
    }

    /// Changes the ledger while the notifier is down or does not write.
    func changeLedger(_ sql: String) throws {
        try withLedger(ledger, isReadOnly: false) { db in try db.execute(sql: sql) }
    }

    private func withLedger<Result>(
        _ file: URL, isReadOnly: Bool, _ body: (Database) throws -> Result
    ) throws -> Result {
        var configuration = Configuration()
        configuration.readonly = isReadOnly
        configuration.foreignKeysEnabled = false
        configuration.busyMode = .timeout(30)
        configuration.prepareDatabase { $0.add(function: RowText.function) }
        let database = try DatabaseQueue(path: file.path, configuration: configuration)
        let result = try database.inDatabase(body)
        try database.close()
        return result
    }

    private static func text(_ value: DatabaseValue) -> String {
        switch value.storage {
        case .null: ""
        case .int64(let number): "\(number)"
        case .double(let number): "\(number)"
        case .string(let text): text
        case .blob(let bytes): String(decoding: bytes, as: UTF8.self)
        }
    }
}
