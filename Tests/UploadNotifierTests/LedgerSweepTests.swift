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

    private func state(_ id: String) -> UploadState { UploadState(driver: "s3", payload: ["upload": .string(id)]) }

    private func event(
        _ kind: EventKind, _ job: UploadJob, _ state: UploadState?, slice: Int = 1
    ) -> NotifierMessage {
        var baton = Baton(job: job)
        baton.slice = slice
        baton.state = state
        return .event(UploadEvent(kind: kind, of: baton, at: Sample.start))
    }

    @Test func `live jobs and recent failures name their sessions, others do not`() async throws {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        let messages = [
            event(.handedOver, job(), state("running")), event(.waiting, job(), state("waiting")),
            event(.failed, job(), state("failed")), event(.completed, job(), state("completed")),
            event(.cancelled, job(), state("cancelled")), event(.handedOver, job(), nil),
        ]
        _ = try await ledger.record(messages, view: ControlView(), routes: [], now: Sample.start)
        let all = try await ledger.namedStates(failedSince: Sample.start)
        #expect(Set(all) == [state("running"), state("waiting"), state("failed")])
        let later = try await ledger.namedStates(failedSince: Sample.start + 1)
        #expect(Set(later) == [state("running"), state("waiting")])
    }

    @Test func `what jobs of a destination and key had begun stays known after their end`() async throws {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        let (one, two) = (job("a \"b\"/ü"), job("a \"b\"/ü"))
        let messages = [
            event(.handedOver, one, state("first")), event(.waiting, one, state("second"), slice: 2),
            event(.completed, one, nil, slice: 3),
            event(.failed, two, state("failed")), event(.handedOver, job("a"), state("other")),
            .job(Sample.job(), maybeRepeated: false),
        ]
        _ = try await ledger.record(messages, view: ControlView(), routes: [], now: Sample.start)
        func knows(
            _ name: String, at destination: DestinationName? = nil, _ key: String = "a \"b\"/ü",
            since: Date = Sample.start
        ) async throws -> Bool {
            let wanted = state(name)
            return try await ledger.knowsState(at: destination ?? photos, key: key, toldSince: since) { $0 == wanted }
        }
        for name in ["first", "second", "failed"] { #expect(try await knows(name), "\(name)") }
        #expect(try await !knows("other"))
        #expect(try await !knows("first", "A \"b\"/ü"))
        #expect(try await !knows("first", at: DestinationName(unchecked: "other")))
        // An event from before an upload began names another upload of the same id.
        for name in ["first", "second", "failed"] {
            #expect(try await !knows(name, since: Sample.start + 1), "\(name)")
        }
    }

    @Test func `what a job began beside its key is known there`() async throws {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        let job = job("cat.jpg")
        let renamed = try #require(job.renamed)
        #expect(renamed.destination == .named(photos, key: "cat-1.jpg"))
        let messages = [
            .job(job, maybeRepeated: false), event(.handedOver, renamed, state("beside")),
            event(.completed, renamed, nil, slice: 2),
        ]
        _ = try await ledger.record(messages, view: ControlView(), routes: [], now: Sample.start)
        let wanted = state("beside")
        #expect(
            try await ledger.knowsState(at: photos, key: "cat-1.jpg", toldSince: Sample.start) { $0 == wanted })
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
