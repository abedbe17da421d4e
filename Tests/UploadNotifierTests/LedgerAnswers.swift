import Foundation
import PostgreSQL
import Testing
import UploadTesting
import Uploads

@testable import UploadNotifier

/// The answers of a filled ledger to all queries.
struct LedgerAnswers {
    /// Deliveries whose events cannot be read are given up when they are asked for, so these come first.
    var due: [DelegateDelivery]
    var identity: LedgerIdentity
    var counts: [LedgerStatus: Int]
    var queues: [QueueLoad]
    var destinations: [DestinationLoad]
    var latest: [LedgerStatus: Set<JobID>] = [:]
    var listings: [[JobID]] = []
    var failures: [FailureGroup]
    /// By minutes and by hours.
    var history: [[HistoryBucket]] = []
    /// How many jobs each verb would be about.
    var orderable: [Int] = []
    var jobs: [LedgerJob?] = []
    var events: [[UploadEvent]] = []
    var stream: [RecordedEvent] = []
    var lastSequence: Int64
    var deliveries: [DeliveryRecord]
    var attempts: [[DeliveryAttempt]] = []
    var statuses: [DelegateStatus]
    var registrations: [DelegateRegistration]
    var owed: [OwedAction]
    var lines: [LinePage]
    var places: [LinePlace?] = []
    var letters: [UnreadableMessage]
    var typedLetters: [UnreadableMessage.ID]
    var states: Set<UploadState>
    var knowsState: [Bool] = []
    var staged: [String: [LedgerJob]]
    var held: HeldQueues
    var forgetting: [UploadOrder]
    var order: OrderAnswer?

    init(_ ledger: any FilledLedger.Ports, _ filled: FilledLedger) async throws {
        let start = FilledLedger.start
        if let server = ledger as? PostgreSQLLedger {
            // With statistics a server reads small tables whole, so an answer without an order of its own differs.
            let tables = LedgerTable.all.map(\.name).joined(separator: ", ")
            _ = try await server.query(Statement(stringLiteral: "ANALYZE \(tables)"))
        }
        due = try await ledger.due(for: "hook", ordered: true, now: start + 60, excluding: [], limit: 100)
        identity = try await ledger.identity()
        counts = try await ledger.counts()
        queues = try await ledger.queues(throughputSince: start - 3600)
        destinations = try await ledger.destinations()
        failures = try await ledger.failureGroups(queue: nil, endedSince: nil, limit: 50)
        lastSequence = try await ledger.lastSequence()
        deliveries = try await ledger.deliveries(DeliveryListing())
        statuses = try await ledger.statuses()
        registrations = try await ledger.registrations()
        owed = try await ledger.owed()
        lines = [try await ledger.line(of: FilledLedger.line, after: nil, limit: 100)]
        letters = try await ledger.unreadable(DeadLetterListing())
        typedLetters = try await ledger.unreadable(DeadLetterListing(type: "upload.job.v1")).map(\.id)
        states = Set(try await ledger.namedStates(failedSince: start - 60))
        staged = try await ledger.jobs(naming: ["copy-queued", "copy-paused", "staged-0", "staged-4"], inArea: "area")
        held = try await ledger.heldQueues(after: nil, now: start + 3600, limit: 100)
        forgetting = try await ledger.acceptedForgetting()
        order = try await ledger.carryOut(filled.order, view: ControlView(), routes: [], now: start).answer
        for status in LedgerStatus.allCases {
            latest[status] = Set(try await ledger.latest(status, limit: 100).map(\.id))
        }
        for seconds in [60, 3600] {
            history.append(
                try await ledger.history(
                    from: start - 3600, until: start + 3600, bucketSeconds: seconds, queue: nil))
        }
        for verb in Verb.allCases { orderable.append(try await ledger.count(OrderFilter(), for: verb)) }
        for filter in Self.filters { listings.append(try await Self.list(filter, in: ledger)) }
        for job in filled.jobs {
            jobs.append(try? await ledger.job(job))
            events.append(try await ledger.events(of: job))
            places.append(try await ledger.place(of: job))
        }
        for delivery in deliveries { attempts.append(try await ledger.attempts(of: delivery.id)) }
        for key in ["key-1", "key-5", "na\u{0}me-🌊-queued", "nowhere"] {
            for wanted in ["1", "5", "queued"] {
                knowsState.append(
                    try await ledger.knowsState(
                        at: DestinationName(unchecked: "photos"), key: key, toldSince: .distantPast
                    ) { $0.payload["upload"] == .string(wanted) })
            }
        }
        while true {
            let page = try await ledger.events(after: stream.last?.sequence ?? 0, EventFilter(), limit: 1000)
            stream += page.events
            if page.isLast || page.events.isEmpty { return }
        }
    }

    private static let filters: [LedgerFilter] = {
        var filters = [LedgerFilter](repeating: LedgerFilter(limit: 7), count: 12)
        filters[1].order = .oldestFirst
        filters[2].batch = FilledLedger.batch
        filters[3].idempotencyKey = "key-queued\u{0}"
        filters[4].queue = FilledLedger.status
        filters[5].statuses = [.completed, .failed]
        for (index, text) in ["zoë", "na me-🌊", "host.example/forgotten"].enumerated() {
            filters[6 + index].text = text
        }
        filters[9].code = .rejected
        filters[10].client = "app.example"
        filters[11].endedSince = FilledLedger.start + 1
        return filters
    }()

    private static func list(_ filter: LedgerFilter, in ledger: any FilledLedger.Ports) async throws -> [JobID] {
        var (filter, found): (LedgerFilter, [JobID]) = (filter, [])
        for _ in 0..<1000 {
            let page = try await ledger.jobs(filter)
            found += page.jobs.map(\.id)
            guard let next = page.next else { return found }
            filter.after = next
        }
        throw UploadError(.unknown, "the pages of a listing go round in circles")
    }

    /// Compares the answers one by one.
    func expectSame(as other: LedgerAnswers, _ what: Comment) {
        for (mine, its) in zip(Mirror(reflecting: self).children, Mirror(reflecting: other).children) {
            guard let value = mine.value as? AnyHashable, let otherValue = its.value as? AnyHashable else {
                Issue.record("\(mine.label ?? "") cannot be compared")
                continue
            }
            #expect(value == otherValue, "\(mine.label ?? "") \(what)")
        }
    }
}
