import Foundation
import GRDB
import Testing
import Uploads

@testable import UploadNotifier

@Suite("What the ledger knows for the sweep")
struct LedgerSweepTests {
    private let photos = DestinationName(unchecked: "photos")

    private func job(_ key: String = "k") -> UploadJob {
        UploadJob(
            source: .inline(Data("x".utf8)), destination: .named(photos, key: key), size: 1, enqueuedAt: Sample.start)
    }

    @Test func `a ledger of the first version learns the keys of its jobs`() async throws {
        let scratch = try Scratch()
        let old = try DatabaseQueue(path: scratch.file())
        try LedgerSchema.migrator.migrate(old, upTo: "1")
        for job in [job("kept"), Sample.job()] {
            let record = try WireJSON.encode(LedgerJob(Baton(job: job.redacted), isWhole: true, at: Sample.start))
            try await old.write { db in
                try db.execute(
                    sql: "INSERT INTO jobs (id, queue, destination, status, since, record) VALUES (?, ?, ?, ?, ?, ?)",
                    arguments: [job.id.rawValue, "default", job.destination.label, "queued", 0, record])
            }
        }
        try old.close()
        let ledger = try Ledger.open(path: scratch.file())
        let keys = try await ledger.read { try String?.fetchAll($0, sql: "SELECT key FROM jobs ORDER BY key") }
        #expect(keys == [nil, "kept"])
    }
}
