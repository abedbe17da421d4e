import Foundation
import Testing
package import Uploads

/// The rules that every ledger must obey for its recorders and its readers, tested through its ports alone. Each ledger's tests run
/// them.
package struct LedgerConformance: Sendable {
    package typealias Ports = NotifierLedger & LedgerTransactions

    /// Makes an empty ledger each time.
    package var make: @Sendable () async throws -> any Ports
    /// Closes a ledger and opens it again, as a restarted notifier does.
    package var reopen: @Sendable (any Ports) async throws -> any Ports
    package var traits: Traits

    package init(
        _ traits: Traits, make: @escaping @Sendable () async throws -> any Ports,
        reopen: @escaping @Sendable (any Ports) async throws -> any Ports
    ) {
        (self.traits, self.make, self.reopen) = (traits, make, reopen)
    }

    /// One rule.
    package struct Rule: Sendable, CustomTestStringConvertible {
        package var testDescription: String
        package var check: @Sendable (LedgerConformance) async throws -> Void

        init(_ name: String, _ check: @escaping @Sendable (LedgerConformance) async throws -> Void) {
            testDescription = name
            self.check = check
        }
    }

    package static let rules = [
        recording, receiving, owing, keying, restarting, ordering, holding, lining, placing, lineModel,
        forgetting, retention, listing, asking, searching, failing, remembering, quarantine, delivering, registering,
        sweeping, figures, backup, identifying, storing, auditing,
    ].flatMap { $0 }

    static let start = Date(timeIntervalSince1970: 1_800_000_000)

    /// - Parameter seconds: the time between the start and the job's enqueueing.
    static func makeJob(
        _ key: String, queue: String = "default", destination: String = "photos", after seconds: Double = 0,
        size: Int64 = 5
    ) -> UploadJob {
        let time = start + seconds
        return UploadJob(
            id: JobID(now: time), queue: QueueName(unchecked: queue),
            source: .staged(area: "area", name: "staged-\(key)"),
            destination: .named(DestinationName(unchecked: destination), key: key), size: size, enqueuedAt: time)
    }

    /// A job with secrets, which the ledger keeps apart: inline bytes, and the query of a URL.
    static func makeSecretJob(_ key: String = "a") -> UploadJob {
        UploadJob(
            id: JobID(now: start), source: .inline(Data("hello".utf8)),
            destination: .url("https://host.example/\(key)?signature=hidden"), size: 5, enqueuedAt: start)
    }

    static func event(_ kind: EventKind, _ job: UploadJob, slice: Int = 0, after seconds: Double = 0) -> NotifierMessage
    {
        var baton = Baton(job: job)
        baton.slice = slice
        return .event(UploadEvent(kind: kind, of: baton, at: start + seconds))
    }

    @discardableResult
    static func record(
        _ messages: [NotifierMessage], in ledger: any Ports, routes: [DeliveryRoute] = [DeliveryRoute(delegate: "hook")]
    ) async throws -> [OwedAction] {
        try await ledger.record(messages, view: ControlView(), routes: routes, now: start)
    }

    // MARK: Recording

    private static let recording = [
        Rule("the same batch twice changes nothing and doubles no outcome") { suite in
            let ledger = try await suite.make()
            let job = makeJob("a")
            let batch = [.job(job, maybeRepeated: false), event(.started, job), event(.completed, job)]
            let first = try await record(batch, in: ledger)
            let known = try await ledger.job(job.id)
            let second = try await record(batch, in: ledger)
            #expect(first.count == 1 && second.isEmpty)
            #expect(try await ledger.job(job.id) == known)
            #expect(try await ledger.events(of: job.id).map(\.kind) == [.started, .completed])
            #expect(try await ledger.status(of: "hook").backlog == 1)
            #expect(try await ledger.counts() == [.completed: 1])
            #expect(try await ledger.queues(throughputSince: start).first?.throughput.map(\.completed) == [1])
        },
        Rule("an unknown job is issued from its suspect, whatever the ledger has lost") { suite in
            let ledger = try await suite.make()
            let job = makeJob("a")
            let marks = try await record([event(.suspect, job)], in: ledger)
            guard case .mark(let marker) = marks.first?.action else {
                Issue.record("a suspect is owed a marker")
                return
            }
            let issued = try await record([.marker(marker)], in: ledger)
            guard case .issue(let baton, _, _) = issued.first?.action else {
                Issue.record("a marker is owed an issue")
                return
            }
            #expect(baton.job == job)
            #expect(baton.generation == 2)
        },
        Rule("an empty ledger learns of jobs from whatever is told of them") { suite in
            let ledger = try await suite.make()
            let (queued, running, done) = (makeJob("queued"), makeJob("running", after: 1), makeJob("done", after: 2))
            try await record(
                [
                    .job(queued, maybeRepeated: false), event(.handedOver, running, slice: 3),
                    event(.completed, done, slice: 1),
                ], in: ledger)
            #expect(try await ledger.jobs(LedgerFilter()).jobs.map(\.id) == [done.id, running.id, queued.id])
            #expect(try await ledger.job(running.id)?.baton.slice == 3)
            #expect(try await ledger.counts() == [.queued: 2, .completed: 1])
            let due = try await ledger.due(for: "hook", ordered: false, now: start, excluding: [], limit: 10)
            #expect(due.map(\.event.id) == ["\(done.id).1.ended"])
        },
        Rule("what is forgotten is counted no more") { suite in
            let ledger = try await suite.make()
            let (old, new) = (makeJob("old"), makeJob("new", after: 1))
            let owed = try await record(
                [event(.completed, old), .job(new, maybeRepeated: false)], in: ledger, routes: [])
            ledger.settle(owed.map(\.id))
            #expect(try await ledger.prune(endedBefore: start + 1, besides: ControlView(), limit: 10) == 1)
            #expect(try await ledger.counts() == [.queued: 1])
            var filter = LedgerFilter()
            filter.text = "staged-old"
            #expect(try await ledger.jobs(filter).jobs.isEmpty)
            #expect(try await ledger.events(of: old.id).isEmpty)
            await #expect(throws: UploadError.self) { _ = try await ledger.jobs(LedgerFilter(after: old.id)) }
        },
    ]
}
