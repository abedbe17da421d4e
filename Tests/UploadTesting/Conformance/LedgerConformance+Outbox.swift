import Foundation
import Testing
import Uploads

extension LedgerConformance {
    static let delivering = [outboxes, keepingOrder, trying, pausing, repeating].flatMap { $0 }

    // MARK: Outboxes

    private static let outboxes = [
        Rule("deliveries are due from their times on, the longest due first, and as many as are asked for") { suite in
            let ledger = try await suite.make()
            let jobs = try await endJobs(4, in: ledger).map(\.id)
            func due(_ seconds: Double, limit: Int = 10) async throws -> [JobID] {
                try await ledger.due(
                    for: "hook", ordered: false, now: start + seconds, excluding: [], limit: limit
                ).map(\.event.job.id)
            }
            #expect(try await due(-1).isEmpty)
            #expect(try await due(1) == Array(jobs[...1]))
            #expect(try await due(9, limit: 3) == Array(jobs[..<3]))
            let all = try await openDeliveries(in: ledger)
            #expect(all.map(\.dueAt) == (0..<4).map { start + Double($0) })
            #expect(all.allSatisfy { $0.delegate == "hook" && $0.attempts == 0 && $0.failingSince == nil })
            try await ledger.failed([all[0].id], attempt: deliveryAttempt(4, error: "down"), dueAt: start + 7)
            #expect(try await due(6.75) == Array(jobs[1...]))
            #expect(try await due(7) == jobs[1...] + [jobs[0]])
            #expect(try await openDeliveries(of: "other", in: ledger).isEmpty)
        },
        Rule("those that are left out are not due, and the next one is due when the first of the others is") { suite in
            let ledger = try await suite.make()
            func next(excluding: Set<DelegateDelivery.ID> = [], for delegate: String = "hook") async throws -> Date? {
                try await ledger.nextDue(for: delegate, ordered: false, excluding: excluding)
            }
            #expect(try await next() == nil)
            try await endJobs(3, in: ledger)
            let ids = try await openDeliveries(in: ledger).map(\.id)
            #expect(try await next() == start)
            #expect(try await next(excluding: [ids[0]]) == start + 1)
            #expect(try await next(excluding: [ids[0], ids[1]]) == start + 2)
            #expect(try await next(excluding: Set(ids)) == nil)
            #expect(try await next(for: "other") == nil)
            let due = try await ledger.due(
                for: "hook", ordered: false, now: start + 9, excluding: [ids[0], ids[2]], limit: 10)
            #expect(due.map(\.id) == [ids[1]])
            try await ledger.delivered([ids[0], ids[2]], at: start + 9)
            #expect(try await next() == start + 1)
            try await ledger.delivered([ids[1]], at: start + 9)
            #expect(try await next() == nil)
        },
        Rule("what a delegate's filter does not let pass is never owed to it") { suite in
            let ledger = try await suite.make()
            let routes = [
                DeliveryRoute(delegate: "hook"),
                DeliveryRoute(delegate: "video", filter: DeliveryFilter(queues: ["video"])),
                DeliveryRoute(delegate: "default", filter: DeliveryFilter(queues: ["default"])),
                DeliveryRoute(delegate: "failures", kinds: [.failed], filter: DeliveryFilter(queues: ["default"])),
            ]
            try await record([event(.completed, makeJob("a"))], in: ledger, routes: routes)
            #expect(
                try await ledger.statuses() == [
                    DelegateStatus(delegate: "default", backlog: 1), DelegateStatus(delegate: "hook", backlog: 1),
                ])
        },
        Rule("a delegate sees no credentials in the state of an upload that failed") { suite in
            let ledger = try await suite.make()
            var baton = Baton(job: makeJob("a"))
            baton.state = UploadState(
                driver: "http", payload: ["url": "https://host.example/upload?signature=hidden", "offset": 5])
            try await record([.event(UploadEvent(kind: .failed, of: baton, at: start))], in: ledger)
            let delivery = try #require(try await openDeliveries(in: ledger).first)
            #expect(delivery.event.kind == .failed)
            #expect(delivery.event.id == "\(baton.job.id).1.ended")
            #expect(delivery.event.data.baton.state?.driver == "http")
            let body = String(decoding: try WireJSON.encode(delivery.event), as: UTF8.self)
            #expect(body.contains("host.example"))
            #expect(!body.contains("hidden"))
        },
    ]

    // MARK: Order

    private static let keepingOrder = [
        Rule("a job's later outcome waits for its earlier one where order is asked for") { suite in
            let ledger = try await suite.make()
            let (job, other) = try await endTwice(in: ledger)
            func due(ordered: Bool = true) async throws -> [DelegateDelivery] {
                try await ledger.due(for: "hook", ordered: ordered, now: start, excluding: [], limit: 10)
            }
            let first = try await due()
            #expect(first.map(\.event.job.id) == [job.id, other.id])
            #expect(first.map(\.event.kind) == [.failed, .completed])
            #expect(
                try await due(ordered: false).map(\.event.id)
                    == ["\(job.id).1.ended", "\(other.id).1.ended", "\(job.id).2.ended"])
            let late = start + 60
            try await ledger.failed([first[0].id], attempt: deliveryAttempt(0, error: "down"), dueAt: late)
            try await ledger.delivered([first[1].id], at: start)
            #expect(try await due().isEmpty)
            #expect(try await ledger.nextDue(for: "hook", ordered: true, excluding: []) == late)
            #expect(try await due(ordered: false).map(\.event.data.baton.round) == [2])
            #expect(try await ledger.nextDue(for: "hook", ordered: false, excluding: []) == start)
            try await ledger.delivered([first[0].id], at: start)
            #expect(try await due().map(\.event.data.baton.round) == [2])
        },
        Rule("it waits as well while the earlier one is left out, and no more once that is given up") { suite in
            let ledger = try await suite.make()
            let (job, other) = try await endTwice(in: ledger)
            func due(excluding: Set<DelegateDelivery.ID> = []) async throws -> [DelegateDelivery] {
                try await ledger.due(for: "hook", ordered: true, now: start + 9, excluding: excluding, limit: 10)
            }
            let ids = try await due().map(\.id)
            #expect(ids.count == 2)
            #expect(try await due(excluding: [ids[0]]).map(\.event.job.id) == [other.id])
            #expect(try await ledger.nextDue(for: "hook", ordered: true, excluding: Set(ids)) == nil)
            try await ledger.failed([ids[0]], attempt: deliveryAttempt(0, error: "bad"), dueAt: start)
            try await ledger.delivered([ids[1]], at: start + 1)
            let last = try #require(try await due().first)
            #expect(last.id == ids[0])
            #expect(try await !ledger.exhausted(last, attempt: deliveryAttempt(5, error: "bad")))
            #expect(try await due().map(\.event.id) == ["\(job.id).2.ended"])
            // The earlier one is to be delivered after all, and again comes first.
            #expect(try await ledger.replay(.one(ids[0]), at: start + 8) == 1)
            #expect(try await due().map(\.id) == [ids[0]])
        },
    ]

    /// Lets a job fail, another one complete, and the first one complete in its second round.
    private static func endTwice(in ledger: any Ports) async throws -> (job: UploadJob, other: UploadJob) {
        let (job, other) = (makeJob("a"), makeJob("b", after: 1))
        try await record(
            [.job(job, maybeRepeated: false), event(.failed, job), event(.completed, other)], in: ledger)
        _ = try await ledger.order(.runAgain, of: job.id, view: ControlView(), routes: [], now: start)
        for action in try await ledger.owed() {
            guard case .mark(let marker) = action.action else { continue }
            try await record([.marker(marker)], in: ledger)
        }
        var again = Baton(job: job, generation: 2)
        again.round = 2
        try await record([.event(UploadEvent(kind: .completed, of: again, at: start))], in: ledger)
        return (job, other)
    }

    // MARK: Support

    /// Lets jobs complete one second after the other, each in a transaction of its own.
    @discardableResult
    static func endJobs(
        _ count: Int, for delegates: [String] = ["hook"], in ledger: any Ports
    ) async throws -> [UploadJob] {
        let jobs = (0..<count).map { makeJob("\($0)", after: Double($0)) }
        for (index, job) in jobs.enumerated() {
            _ = try await ledger.record(
                [event(.completed, job, after: Double(index))], view: ControlView(),
                routes: delegates.map { DeliveryRoute(delegate: $0) }, now: start + Double(index))
        }
        return jobs
    }

    /// What is due for a delegate in the far future.
    static func openDeliveries(of delegate: String = "hook", in ledger: any Ports) async throws -> [DelegateDelivery] {
        try await ledger.due(for: delegate, ordered: false, now: start + 1e6, excluding: [], limit: 100)
    }

    /// An attempt of a quarter of a second.
    static func deliveryAttempt(_ seconds: Double, status: Int? = nil, error: String? = nil) -> DeliveryAttempt {
        DeliveryAttempt(at: start + seconds, seconds: 0.25, status: status, answer: "said", error: error)
    }
}
