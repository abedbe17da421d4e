import Foundation
import GRDB
import Testing
import Uploads

@testable import UploadNotifier

@Suite("Opening a ledger")
struct LedgerOpeningTests {
    private func refusal(_ path: String) -> UploadError? {
        do throws(UploadError) {
            _ = try Ledger.open(path: path)
            return nil
        } catch { return error }
    }

    @Test func `makes the directory and a file for its owner alone`() throws {
        let scratch = try Scratch()
        let path = scratch.file("state/deep/ledger.sqlite")
        let ledger = try Ledger.open(path: path)
        for file in [path, path + "-wal"] {
            let rights = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
            #expect(rights == 0o600, "\(file)")
        }
        try ledger.close()
    }

    @Test func `its holder is found among more locks than fill a page of the kernel's list`() throws {
        let scratch = try Scratch()
        let path = scratch.file()
        #expect(LedgerLock.holder(path: path) == nil)
        let ledger = try Ledger.open(path: path)
        let others = try (0..<300).compactMap { try LedgerLock(path: scratch.file("\($0)")) }
        #expect(others.count == 300)
        #expect(LedgerLock.holder(path: path) == ProcessInfo.processInfo.processIdentifier)
        try ledger.close()
        #expect(LedgerLock.holder(path: path) == nil)
        for other in others { other.release() }
    }

    @Test func `a link to a ledger is one`() async throws {
        let scratch = try Scratch()
        try FileManager.default.createDirectory(atPath: scratch.file("real"), withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(
            atPath: scratch.file(), withDestinationPath: scratch.file("real/ledger.sqlite"))
        let ledger = try Ledger.open(path: scratch.file())
        #expect(try Ledger.openIfFree(path: scratch.file("real/ledger.sqlite")) == nil, "it has one lock")
        #expect(LedgerLock.holder(path: scratch.file("real/ledger.sqlite")) != nil)
        try await ledger.strikeOff()
        try FileManager.default.removeItem(atPath: scratch.file("real/ledger.sqlite-wal"))
        await #expect(throws: UploadError.self) { try await ledger.strikeOff() }
        try ledger.close()
    }

    @Test func `where the disk was full before the first table, the file is still a new ledger`() throws {
        let scratch = try Scratch()
        let old = try DatabaseQueue(path: scratch.file())
        try old.write { try $0.execute(sql: "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)") }
        try old.close()
        let ledger = try Ledger.open(path: scratch.file())
        try ledger.close()
    }

    @Test func `dead letters of before are kept, without what would publish them again`() async throws {
        let scratch = try Scratch()
        let old = try DatabaseQueue(path: scratch.file())
        try LedgerSchema.migrator.migrate(old, upTo: "staged")
        try await old.write {
            try $0.execute(
                sql: "INSERT INTO unreadable (id, at, reason, digest, body) VALUES (5, 1.5, 'why', x'01', x'FF00')")
        }
        try old.close()
        let ledger = try Ledger.open(path: scratch.file())
        let kept = try await ledger.unreadable(5)
        #expect(
            kept
                == UnreadableMessage(
                    id: 5, at: Date(timeIntervalSince1970: 1.5), reason: "why", body: Data([0xFF, 0])))
        #expect(try await ledger.discardUnreadable(5))
    }

    @Test func `orders that lay in the jobs' rows of before are issued whole`() async throws {
        let scratch = try Scratch()
        let job = Sample.job()
        let old = try DatabaseQueue(path: scratch.file())
        try LedgerSchema.migrator.migrate(old, upTo: "sized")
        try await old.write { db in
            try db.execute(
                sql: """
                    INSERT INTO jobs (id, queue, destination, status, since, enqueued, size, text, record, whole)
                    VALUES (?, 'default', 'host.example', 'queued', 0, 0, 5, '', ?, ?)
                    """,
                arguments: [
                    job.id.rawValue,
                    try WireJSON.encode(LedgerJob(Baton(job: job.redacted), isWhole: true, at: Sample.start)),
                    try WireJSON.encode(job),
                ])
        }
        try old.close()
        let ledger = try Ledger.open(path: scratch.file())
        func record(_ message: NotifierMessage) async throws -> IssuingAction? {
            try await ledger.record([message], view: ControlView(), routes: [], now: Sample.start).first?.action
        }
        guard case .mark(let marker) = try await record(Sample.event(.suspect, job.redacted)) else {
            Issue.record("a suspect is owed a marker")
            return
        }
        guard case .issue(let baton, _, _) = try await record(.marker(marker)) else {
            Issue.record("an issue is owed")
            return
        }
        #expect(baton.job == job)
        #expect(try await ledger.job(job.id)?.baton.job == job.redacted)
    }

    @Test(arguments: [false, true])
    func `jobs of before are found by their errors and apps, and those that were paused are resumed`(
        areCompressed: Bool
    ) async throws {
        let scratch = try Scratch()
        let old = try DatabaseQueue(path: scratch.file())
        try LedgerSchema.migrator.migrate(old, upTo: "tallies")
        let jobs = JobsOfBefore.make()
        try await old.write { db in
            for job in jobs {
                let record = try JobsOfBefore.record(of: job)
                try db.execute(
                    sql: """
                        INSERT INTO jobs (id, queue, destination, status, since, enqueued, size, text, record)
                        VALUES (?, 'default', 'photos', ?, ?, 0, 5, '', ?)
                        """,
                    arguments: [
                        job.id.rawValue, job.status.rawValue, job.since.timeIntervalSince1970,
                        areCompressed ? RowText.stored(record) : record,
                    ])
                try db.execute(
                    sql:
                        "INSERT INTO tallies (queue, destination, status, jobs, bytes) VALUES ('default', 'photos', ?, 1, 5)",
                    arguments: [job.status.rawValue])
            }
        }
        try old.close()
        let ledger = try Ledger.open(path: scratch.file())
        try await JobsOfBefore.expectFound(jobs, in: ledger)
        try ledger.close()
    }

    @Test func `commits wait for the disk`() async throws {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        let mode = try await ledger.write { try Int.fetchOne($0, sql: "PRAGMA synchronous") }
        #expect(mode == 2)
    }

    @Test func `a second process is refused until the first has closed`() throws {
        let scratch = try Scratch()
        let first = try Ledger.open(path: scratch.file())
        #expect(refusal(scratch.file())?.message.contains("in use by another process") == true)
        try first.close()
        #expect(refusal(scratch.file()) == nil)
    }

    @Test func `a file that is no database is refused and left as it is`() throws {
        let scratch = try Scratch()
        let text = Data(String(repeating: "not a database\n", count: 500).utf8)
        try text.write(to: URL(filePath: scratch.file()))
        #expect(refusal(scratch.file())?.message.contains("is not a database") == true)
        #expect(try Data(contentsOf: URL(filePath: scratch.file())) == text)
    }

    @Test func `another program's database is refused`() throws {
        let scratch = try Scratch()
        let other = try DatabaseQueue(path: scratch.file())
        try other.write { try $0.execute(sql: "CREATE TABLE theirs (a)") }
        try other.close()
        #expect(refusal(scratch.file())?.message.contains("no ledger") == true)
    }

    @Test func `a newer version's ledger is refused`() throws {
        let scratch = try Scratch()
        try Ledger.open(path: scratch.file()).close()
        let newer = try DatabaseQueue(path: scratch.file())
        try newer.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('999')") }
        try newer.close()
        #expect(refusal(scratch.file())?.message.contains("newer version") == true)
    }

    @Test func `a place where nothing can be made is refused with the path`() throws {
        let error = refusal("/dev/null/ledger.sqlite")
        #expect(error?.code == .misconfigured)
        #expect(error?.message.contains("/dev/null/ledger.sqlite") == true)
    }

    @Test func `a directory in its place is refused`() throws {
        let scratch = try Scratch()
        #expect(refusal(scratch.path)?.code == .misconfigured)
    }
}
