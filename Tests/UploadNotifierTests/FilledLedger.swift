import Foundation
import GRDB
import PostgreSQL
import Testing
import UploadTesting
import Uploads

@testable import UploadNotifier

/// What a test put into a ledger: rows in each of its tables.
struct FilledLedger {
    typealias Ports = LedgerConformance.Ports

    static let start = Sample.start
    static let line = QueueName(unchecked: "line")
    /// Jobs of each status, whose names hold U+0000 and characters beyond the basic plane.
    static let status = QueueName(unchecked: "status")
    /// SQLite keeps the part before U+0000, so no other batch may begin in the same way.
    static let batch = "trip\u{0}-🌊"
    static let damaged = LedgerStatus.running

    private(set) var jobs: [JobID] = []
    private(set) var order = UploadOrder(.jobs(.pause, []), by: "jo", at: start)

    init(_ ledger: any Ports) async throws {
        try await writeRows(ledger)
        try await record(ledger)
        try await operate(ledger)
        try await deliver(ledger)
        try await forget(ledger)
        try await damage(ledger)
    }

    private static func message(_ kind: EventKind, _ job: UploadJob, after seconds: Double = 0) -> NotifierMessage {
        .event(UploadEvent(kind: kind, of: Baton(job: job), at: start + seconds))
    }

    private mutating func writeRows(_ ledger: any Ports) async throws {
        let rows = LedgerStatus.allCases.enumerated().map { index, status -> LedgerChanges.Job in
            var order = UploadJob(
                queue: Self.status, source: .staged(area: "area", name: "copy-\(status)"),
                destination: .named(DestinationName(unchecked: "photos"), key: "na\u{0}me-🌊-\(status)"),
                size: 1000 + Int64(index), enqueuedAt: Self.start + Double(index))
            (order.batch, order.metadata) = (Self.batch, ["owner": "Zoë 🌊"])
            order.idempotencyKey = "key-\(status)\u{0}"
            var job = LedgerJob(Baton(job: order.redacted), isWhole: true, at: Self.start + 60 * Double(index))
            job.status = status
            if !status.isEnd {
                job.baton.state = UploadState(driver: "s3", payload: ["upload": .string("\(status)")])
                job.pausedThrough = 1
            }
            return LedgerChanges.Job(job, before: nil, original: nil)
        }
        try await ledger.transaction { store throws in
            var changes = LedgerChanges()
            changes.jobs = rows
            _ = try store.write(changes, at: Self.start)
        }
        jobs += rows.map(\.job.id)
    }

    private mutating func record(_ ledger: any Ports) async throws {
        var messages: [NotifierMessage] = []
        for index in 0..<24 {
            var job = Sample.job(key: "\(index)")
            switch index % 4 {
            case 0: job.source = .staged(area: "area", name: "staged-\(index)")
            case 1: job.destination = .named(DestinationName(unchecked: "photos"), key: "key-\(index)")
            case 2: job.metadata = ["owner": "Zoë \(index)", "note": String(repeating: "x", count: 200)]
            default: (job.serial, job.queue) = (.end, Self.line)
            }
            if index % 5 == 0 {
                (job.batch, job.client, job.idempotencyKey) = ("journey", "app.example", "key-\(index)")
            }
            jobs.append(job.id)
            messages.append(.job(job, maybeRepeated: index % 3 == 0))
            var baton = Baton(job: job)
            baton.state = UploadState(driver: "s3", payload: ["upload": .string("\(index)")])
            switch index % 7 {
            case 0: messages.append(.event(UploadEvent(kind: .handedOver, of: baton, at: Self.start)))
            case 1: messages.append(Self.message(.completed, job))
            case 2: messages.append(Self.message(.suspect, job))
            case 3:
                let error = UploadError(.rejected, "refused \u{0} 🌊", retry: .never)
                baton.failures = [FailureRecord(at: Self.start, attempt: 1, error: error)]
                messages.append(
                    .event(UploadEvent(outcome: .failed(error, state: nil), of: baton, at: Self.start)))
            case 4: messages.append(Self.message(.started, job))
            case 5: messages.append(.deadBaton(baton, .deliveryLimit))
            default: break
            }
        }
        let envelope = MessageEnvelope(type: "upload.job.v1", headers: ["tenant": "x"])
        messages += [
            .unreadable(Data("{".utf8), reason: "no JSON", envelope: envelope),
            .unreadable(Data([0, 0xFF, 0x80]), reason: "another 🌊"),
        ]
        _ = try await ledger.record(messages, view: ControlView(), routes: Sample.routes, now: Self.start)
        let letter = try #require(try await ledger.unreadable(DeadLetterListing()).last)
        #expect(try await ledger.noteReplayed(letter.id, at: Self.start + 5, by: "jo"))
    }

    private mutating func operate(_ ledger: any Ports) async throws {
        for verb in [Verb.cancel, .pause] {
            order = UploadOrder(.jobs(verb, Array(jobs[18..<21])), by: "jo", at: Self.start)
            while try await ledger.carryOut(order, view: ControlView(), routes: [], now: Self.start).answer == nil {}
        }
        try await ledger.pause("other", reason: "refused 🌊", at: Self.start, held: true)
        for name in ["early", "late"] {
            try await ledger.register(
                DelegateRegistration(
                    name: name, definition: Data("{}".utf8), createdAt: Self.start, changedAt: Self.start))
        }
        _ = try await ledger.unregister("early", discarding: true, at: Self.start + 1)
    }

    /// One delivery fails, one succeeds, and one is given up.
    private func deliver(_ ledger: any Ports) async throws {
        func due() async throws -> [DelegateDelivery] {
            try await ledger.due(for: "hook", ordered: false, now: Self.start, excluding: [], limit: 10)
        }
        let refused = DeliveryAttempt(at: Self.start + 1, seconds: 0.25, status: 500, answer: "no 🌊", error: "bad")
        let deliveries = try await due()
        try #require(deliveries.count >= 4)
        try await ledger.failed(deliveries.prefix(2).map(\.id), attempt: refused, dueAt: Self.start)
        try await ledger.delivered([deliveries[2].id], at: Self.start + 2, attempt: nil)
        let last = try #require(try await due().first { $0.id == deliveries[0].id })
        #expect(try await !ledger.exhausted(last, attempt: refused))
    }

    /// One job loses its names, and another one, which brought the newest event, is removed.
    private mutating func forget(_ ledger: any Ports) async throws {
        let (named, old) = (Sample.job(key: "forgotten"), Sample.job(key: "removed"))
        jobs += [named.id, old.id]
        for (job, seconds) in [(named, 0.0), (old, -1000)] {
            let owed = try await ledger.record(
                [.job(job, maybeRepeated: false), Self.message(.completed, job, after: seconds)], view: ControlView(),
                routes: [], now: Self.start)
            ledger.settle(owed.map(\.id))
        }
        let forgetting = UploadOrder(.jobs(.forget, [named.id]), by: "jo", at: Self.start)
        while try await ledger.carryOut(forgetting, view: ControlView(), routes: [], now: Self.start).answer == nil {}
        #expect(try await ledger.job(named.id)?.forgottenAt != nil)
        #expect(try await ledger.prune(endedBefore: Self.start - 500, besides: ControlView(), limit: 10) == 1)
    }

    /// A job and an event that cannot be read.
    private func damage(_ ledger: any Ports) async throws {
        let id = jobs[LedgerStatus.allCases.firstIndex(of: Self.damaged) ?? 0].rawValue
        if let file = ledger as? Ledger {
            try await file.write { db in
                try db.execute(sql: "UPDATE jobs SET record = x'FF00' WHERE id = ?", arguments: [id])
                try db.execute(sql: "UPDATE events SET body = x'0100' WHERE seq = 2")
            }
        } else {
            let server = try #require(ledger as? PostgreSQLLedger)
            // The columns that SQLite does not have, as for a row that could never be read.
            try await server.query(
                """
                UPDATE jobs SET record = \(Data([0xFF, 0])), is_settled = false, state = NULL,
                initial_state = NULL WHERE id = \(id)
                """)
            try await server.query("UPDATE events SET body = \(Data([1, 0])), told = 0, state = NULL WHERE seq = 2")
        }
    }
}
