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

    @Test func `a backup is for its owner alone, and nothing is left beside it`() async throws {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        _ = try await record(20, in: ledger)
        try await ledger.backup(to: scratch.file("backup.sqlite"))
        let files = try FileManager.default.contentsOfDirectory(atPath: scratch.path)
        #expect(!files.contains { $0.hasSuffix(".partial") })
        let rights = try FileManager.default.attributesOfItem(atPath: scratch.file("backup.sqlite"))
        #expect(rights[.posixPermissions] as? Int == 0o600)
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

    @Test func `the ledger's own files and other databases are not replaced`() async throws {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        #expect(await refusal(ledger, scratch.file())?.message.contains("the ledger itself") == true)
        // SQLite would take this file for the ledger's own journal, and roll back what was recorded.
        #expect(await refusal(ledger, scratch.file() + "-journal")?.code == .rejected)
        let other = try DatabaseQueue(path: scratch.file("other.sqlite"))
        try await other.write { try $0.execute(sql: "CREATE TABLE theirs (a)") }
        #expect(await refusal(ledger, scratch.file("other.sqlite"))?.code == .rejected)
    }
}
