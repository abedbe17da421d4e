import Foundation
import Testing
import Uploads

extension LedgerConformance {
    static let backup = [
        Rule("a backup is the ledger of one moment, while recording goes on, and is opened like any other") { suite in
            try await withBackups(suite) { ledger, directory, open in
                let jobs = (0..<20).map { makeJob("\($0)", after: Double($0)) }
                try await record(jobs.map { .job($0, maybeRepeated: false) }, in: ledger)
                try await record([event(.completed, jobs[3])], in: ledger)
                let path = "\(directory)/backup"
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        for batch in 0..<10 {
                            let more = (0..<5).map { makeJob("\(batch).\($0)", after: 100) }
                            try await record(more.map { .job($0, maybeRepeated: false) }, in: ledger)
                        }
                    }
                    #expect(try await ledger.backup(to: path) > 0)
                    try await group.waitForAll()
                }
                let copy = try await open(path)
                // A batch is in the backup, or it is not.
                let count = try await copy.counts()[.queued] ?? 0
                #expect(count >= 19 && (count - 19) % 5 == 0, "\(count)")
                let oldest = LedgerFilter(order: .oldestFirst, limit: 20)
                #expect(try await copy.jobs(oldest).jobs == ledger.jobs(oldest).jobs)
                let (all, copied) = (
                    try await ledger.jobs(LedgerFilter(limit: 1000)).jobs,
                    try await copy.jobs(LedgerFilter(limit: 1000)).jobs
                )
                #expect(all.count == 70 && Set(copied.map(\.id)).isSubset(of: Set(all.map(\.id))))
                #expect(try await copy.job(jobs[3].id)?.status == .completed)
                #expect(try await copy.events(of: jobs[3].id) == ledger.events(of: jobs[3].id))
                #expect(try await copy.owed().map(\.job) == [jobs[3].id])
                let due = try await copy.due(for: "hook", ordered: false, now: start, excluding: [], limit: 10)
                #expect(due.map(\.event.id) == ["\(jobs[3].id).1.ended"])
                try await copy.close()
            }
        },
        Rule("a backup has the identity and the openings of its ledger, and goes its own way from there") { suite in
            try await withBackups(suite) { ledger, directory, open in
                let (opening, pending) = (UUID(), UUID())
                try await ledger.noteOpened(opening)
                try await ledger.notePending(pending)
                try await ledger.backup(to: "\(directory)/backup")
                let copy = try await open("\(directory)/backup")
                let identity = try await ledger.identity()
                #expect(identity.opening == opening && identity.pending == pending)
                #expect(try await copy.identity() == identity)
                try await copy.noteOpened(pending)
                try await record([.job(makeJob("a"), maybeRepeated: false)], in: copy)
                #expect(try await ledger.identity() == identity)
                #expect(try await ledger.counts().isEmpty)
                try await copy.close()
            }
        },
        Rule("an older backup is replaced, and no other file is") { suite in
            try await withBackups(suite) { ledger, directory, open in
                let (path, letter) = ("\(directory)/backup", "\(directory)/letter.txt")
                try await ledger.backup(to: path)
                try await record((0..<3).map { .job(makeJob("\($0)"), maybeRepeated: false) }, in: ledger)
                try await ledger.backup(to: path)
                let copy = try await open(path)
                #expect(try await copy.counts() == [.queued: 3])
                try await copy.close()
                try Data("Dear operator".utf8).write(to: URL(filePath: letter))
                #expect(await refusal(ledger, letter)?.code == .rejected)
                #expect(try Data(contentsOf: URL(filePath: letter)) == Data("Dear operator".utf8))
            }
        },
        Rule("a place that cannot be written is refused, and nothing is left there") { suite in
            try await withBackups(suite) { ledger, directory, _ in
                #expect(await refusal(ledger, "\(directory)/no/such/directory")?.code == .misconfigured)
                // A directory in its place cannot be replaced by a file.
                let full = "\(directory)/full"
                try FileManager.default.createDirectory(atPath: full, withIntermediateDirectories: false)
                #expect(await refusal(ledger, full) != nil)
                #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["full"])
                #expect(try FileManager.default.contentsOfDirectory(atPath: full).isEmpty)
            }
        },
        Rule("a ledger that writes no backups to files says so, and writes nothing") { suite in
            guard suite.traits.openBackup == nil else { return }
            let ledger = try await suite.make()
            try await inDirectory { directory in
                let error = await refusal(ledger, "\(directory)/backup")
                #expect(error?.code == .rejected && error?.message.isEmpty == false)
                let files = try FileManager.default.contentsOfDirectory(atPath: directory)
                #expect(files.isEmpty)
            }
        },
    ]

    /// Runs a check with an empty ledger and a directory for its backups, if the backend writes any.
    private static func withBackups(
        _ suite: LedgerConformance,
        _ check: (any Ports, _ directory: String, _ open: (String) async throws -> any Ports) async throws -> Void
    ) async throws {
        guard let open = suite.traits.openBackup else { return }
        let ledger = try await suite.make()
        try await inDirectory { try await check(ledger, $0, open) }
    }

    private static func inDirectory(_ check: (String) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "backups-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: directory) }
        try await check(directory.path)
    }

    private static func refusal(_ ledger: any Ports, _ path: String) async -> UploadError? {
        do throws(UploadError) {
            try await ledger.backup(to: path)
            return nil
        } catch { return error }
    }
}
