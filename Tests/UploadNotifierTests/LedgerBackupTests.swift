import Foundation
import GRDB
import Testing
import Uploads

@testable import UploadNotifier

@Suite("Backups of a ledger", .timeLimit(.minutes(10)))
struct LedgerBackupTests {
    private func refusal(_ ledger: Ledger, _ path: String) async -> UploadError? {
        do throws(UploadError) {
            try await ledger.backup(to: path)
            return nil
        } catch { return error }
    }

    private func record(_ count: Int, in ledger: Ledger) async throws -> [UploadJob] {
        let jobs = (0..<count).map { Sample.job(key: "\($0)") }
        _ = try await ledger.record(
            jobs.map { .job($0, maybeRepeated: false) }, view: ControlView(), routes: [], now: Sample.start)
        return jobs
    }

    @Test func `a backup is the ledger of one moment, opened like any other, for its owner alone`() async throws {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        let jobs = try await record(20, in: ledger)
        try await withThrowingTaskGroup(of: Void.self) { group in
            // Recording goes on meanwhile.
            group.addTask {
                for _ in 0..<10 { _ = try await self.record(5, in: ledger) }
            }
            let bytes = try await ledger.backup(to: scratch.file("backup.sqlite"))
            #expect(bytes > 0)
            try await group.waitForAll()
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: scratch.path)
        #expect(!files.contains { $0.hasSuffix(".partial") })
        let rights = try FileManager.default.attributesOfItem(atPath: scratch.file("backup.sqlite"))
        #expect(rights[.posixPermissions] as? Int == 0o600)
        let copy = try Ledger.open(path: scratch.file("backup.sqlite"))
        let count = try await copy.counts()[.queued] ?? 0
        #expect(count >= 20 && (count - 20) % 5 == 0)
        let oldest = try await copy.jobs(LedgerFilter(order: .oldestFirst, limit: 20)).jobs
        #expect(
            Set(oldest.map(\.id)).isSubset(of: Set(try await ledger.jobs(LedgerFilter(limit: 1000)).jobs.map(\.id))))
        #expect(try await copy.job(jobs[3].id) == ledger.job(jobs[3].id))
    }

    @Test func `of a ledger whose file is gone a backup has all that was recorded`() async throws {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        let jobs = try await record(20, in: ledger)
        try FileManager.default.removeItem(atPath: scratch.file())
        try await ledger.backup(to: scratch.file("backup.sqlite"))
        #expect(!FileManager.default.fileExists(atPath: scratch.file()), "an empty file would be taken for the ledger")
        let copy = try Ledger.open(path: scratch.file("backup.sqlite"))
        #expect(try await copy.counts() == [.queued: jobs.count])
        try copy.close()
    }

    @Test func `an older backup is replaced, and nothing else is`() async throws {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        let path = scratch.file("backup.sqlite")
        try await ledger.backup(to: path)
        _ = try await record(3, in: ledger)
        try await ledger.backup(to: path)
        let copy = try Ledger.open(path: path)
        #expect(try await copy.counts() == [.queued: 3])
        let letter = scratch.file("letter.txt")
        try Data("Dear operator".utf8).write(to: URL(filePath: letter))
        #expect(await refusal(ledger, letter)?.code == .rejected)
        #expect(try Data(contentsOf: URL(filePath: letter)) == Data("Dear operator".utf8))
        #expect(await refusal(ledger, scratch.file())?.message.contains("the ledger itself") == true)
        // SQLite would take this file for the ledger's own journal, and roll back what was recorded.
        #expect(await refusal(ledger, scratch.file() + "-journal")?.code == .rejected)
        let other = try DatabaseQueue(path: scratch.file("other.sqlite"))
        try await other.write { try $0.execute(sql: "CREATE TABLE theirs (a)") }
        #expect(await refusal(ledger, scratch.file("other.sqlite"))?.code == .rejected)
    }

    @Test func `a place that cannot be written is refused, and nothing is left there`() async throws {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        #expect(await refusal(ledger, scratch.file("no/such/directory"))?.code == .misconfigured)
        // A directory in its place cannot be replaced by a file.
        try FileManager.default.createDirectory(atPath: scratch.file("full"), withIntermediateDirectories: false)
        #expect(await refusal(ledger, scratch.file("full")) != nil)
        let files = try FileManager.default.contentsOfDirectory(atPath: scratch.path)
        #expect(!files.contains { $0.hasSuffix(".partial") })
    }
}
