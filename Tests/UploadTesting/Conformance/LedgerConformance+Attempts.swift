import Foundation
import Testing
import Uploads

extension LedgerConformance {
    // MARK: Attempts

    static let trying = [
        Rule("every attempt is logged with its status, its duration and what was answered") { suite in
            let ledger = try await suite.make()
            let job = try await endJobs(1, in: ledger)[0]
            let delivery = try #require(try await openDeliveries(in: ledger).first)
            #expect(try await ledger.attempts(of: delivery.id).isEmpty)
            let attempts = [deliveryAttempt(10, status: 500, error: "down"), deliveryAttempt(20, status: 204)]
            try await ledger.failed([delivery.id], attempt: attempts[0], dueAt: start + 15)
            let waiting = try #require(try await ledger.deliveries(DeliveryListing()).first)
            #expect(waiting.status == .waiting)
            #expect(waiting.error == "down")
            #expect(waiting.dueAt == start + 15)
            #expect(waiting.deliveredAt == nil)
            try await ledger.delivered([delivery.id], at: start + 20.25, attempt: attempts[1])
            #expect(try await ledger.attempts(of: delivery.id) == attempts)
            let record = try #require(try await ledger.deliveries(DeliveryListing()).first)
            #expect(record.status == .delivered)
            #expect(record.delegate == "hook")
            #expect(record.event == delivery.event.id && record.event == "\(job.id).1.ended")
            #expect(record.job == job.id.rawValue)
            #expect(record.attempts == 1)
            #expect(record.createdAt == start)
            #expect(record.dueAt == nil)
            #expect(record.deliveredAt == start + 20.25)
            #expect(record.error == nil)
        },
        Rule("failures are counted from the first on, for each of those that failed together") { suite in
            let ledger = try await suite.make()
            try await endJobs(3, in: ledger)
            let ids = try await openDeliveries(in: ledger).map(\.id)
            let both = deliveryAttempt(10, error: "down")
            try await ledger.failed([ids[0], ids[1]], attempt: both, dueAt: start + 15)
            try await ledger.failed([ids[1]], attempt: deliveryAttempt(15, error: "gone"), dueAt: start + 315)
            let open = try await openDeliveries(in: ledger)
            #expect(open.map(\.id) == [ids[2], ids[0], ids[1]])
            #expect(open.map(\.attempts) == [0, 1, 2])
            #expect(open.map(\.failingSince) == [nil, start + 10, start + 10])
            #expect(open.map(\.dueAt) == [start + 2, start + 15, start + 315])
            #expect(try await ledger.attempts(of: ids[0]) == [both])
            #expect(try await ledger.attempts(of: ids[1]).map(\.error) == ["down", "gone"])
            #expect(try await ledger.attempts(of: ids[2]).isEmpty)
            #expect(try await ledger.status(of: "hook") == DelegateStatus(delegate: "hook", backlog: 3))
            let listed = try await ledger.deliveries(DeliveryListing())
            #expect(listed.map(\.error) == [nil, "gone", "down"])
            #expect(listed.map(\.attempts) == [0, 2, 1])
        },
        Rule("of a delivery's attempts the last 32 are kept, and all are counted") { suite in
            let ledger = try await suite.make()
            try await endJobs(2, in: ledger)
            let open = try await openDeliveries(in: ledger)
            let attempts = (0..<37).map { deliveryAttempt(Double($0), error: "down") }
            try await ledger.failed([open[1].id], attempt: attempts[0], dueAt: start)
            for attempt in attempts { try await ledger.failed([open[0].id], attempt: attempt, dueAt: start) }
            #expect(try await ledger.attempts(of: open[0].id) == Array(attempts.suffix(32)))
            #expect(try await openDeliveries(in: ledger).map(\.attempts) == [37, 1])
            let taken = deliveryAttempt(40, status: 200)
            try await ledger.delivered([open[0].id], at: start + 40, attempt: taken)
            #expect(try await ledger.attempts(of: open[0].id) == attempts.suffix(31) + [taken])
            #expect(try await ledger.attempts(of: open[1].id) == [attempts[0]], "others' attempts stay")
        },
        Rule("an attempt of a delivery that is no longer there is no error, and leaves nothing") { suite in
            let ledger = try await suite.make()
            try await endJobs(1, in: ledger)
            let gone = try #require(try await openDeliveries(in: ledger).first)
            #expect(try await ledger.forget("hook") == 1)
            try await ledger.failed([gone.id], attempt: deliveryAttempt(1, error: "down"), dueAt: start)
            try await ledger.delivered([gone.id], at: start + 2, attempt: deliveryAttempt(2, status: 200))
            #expect(try await ledger.attempts(of: gone.id).isEmpty)
            #expect(try await ledger.deliveries(DeliveryListing()).isEmpty)
            #expect(try await ledger.statuses().isEmpty)
        },
        Rule("an outcome that alone is refused is given up and kept, the delegate goes on") { suite in
            let ledger = try await suite.make()
            let jobs = try await endJobs(2, in: ledger)
            let deliveries = try await openDeliveries(in: ledger)
            try await ledger.failed([deliveries[0].id], attempt: deliveryAttempt(10, error: "bad"), dueAt: start)
            try await ledger.delivered([deliveries[1].id], at: start + 11)
            let last = try #require(try await openDeliveries(in: ledger).first)
            #expect(last.failingSince == start + 10)
            #expect(try await !ledger.exhausted(last, attempt: deliveryAttempt(100, status: 400, error: "bad")))
            #expect(try await openDeliveries(in: ledger).isEmpty)
            #expect(try await ledger.nextDue(for: "hook", ordered: false, excluding: []) == nil)
            let status = try await ledger.status(of: "hook")
            #expect(status == DelegateStatus(delegate: "hook", backlog: 0, failed: 1))
            let record = try #require(try await ledger.deliveries(DeliveryListing(status: .failed)).first)
            #expect(record.job == jobs[0].id.rawValue)
            #expect(record.status == .failed && record.error == "bad" && record.dueAt == nil)
            #expect(record.attempts == 2)
            #expect(try await ledger.attempts(of: last.id).map(\.status) == [nil, 400])
            // What was given up is not tried again when the delegate is resumed.
            try await ledger.resume("hook", at: start + 150)
            #expect(try await openDeliveries(in: ledger).isEmpty)

            #expect(try await ledger.replay(.failed(delegate: "hook"), at: start + 200) == 1)
            let again = try #require(try await openDeliveries(in: ledger).first)
            #expect(again.event == deliveries[0].event)
            #expect(again.attempts == 0)
            #expect(again.failingSince == nil)
            #expect(again.dueAt == start + 200)
            #expect(try await ledger.replay(.failed(delegate: "hook"), at: start + 201) == 0)
            #expect(try await ledger.status(of: "hook") == DelegateStatus(delegate: "hook", backlog: 1))
        },
        Rule("what has failed and waits for its next attempt is delivered at once by a replay of what failed") {
            suite in
            let ledger = try await suite.make()
            try await endJobs(3, in: ledger)
            let deliveries = try await openDeliveries(in: ledger)
            try await ledger.failed(
                [deliveries[1].id], attempt: deliveryAttempt(10, error: "down"), dueAt: start + 86_400)
            try await ledger.delivered([deliveries[2].id], at: start + 11)
            #expect(try await ledger.replay(.failed(delegate: "hook"), at: start + 200) == 1)
            let open = try await openDeliveries(in: ledger)
            #expect(open.map(\.attempts) == [0, 0] && open.map(\.failingSince) == [nil, nil])
            #expect(open.map(\.dueAt) == [deliveries[0].dueAt, start + 200])
        },
        Rule("what was given up counts as taken when an attempt that was under way succeeds") { suite in
            let ledger = try await suite.make()
            try await endJobs(2, in: ledger)
            let ids = try await openDeliveries(in: ledger).map(\.id)
            try await ledger.failed([ids[0]], attempt: deliveryAttempt(10, error: "bad"), dueAt: start)
            try await ledger.delivered([ids[1]], at: start + 11)
            let last = try #require(try await openDeliveries(in: ledger).first)
            #expect(try await !ledger.exhausted(last, attempt: deliveryAttempt(20, error: "bad")))
            try await ledger.delivered([ids[0]], at: start + 30)
            #expect(try await ledger.status(of: "hook") == DelegateStatus(delegate: "hook", backlog: 0))
            #expect(try await ledger.deliveries(DeliveryListing(status: .delivered)).map(\.id) == [ids[1], ids[0]])
        },
        Rule("a delegate that takes nothing is paused, and nothing is given up") { suite in
            let ledger = try await suite.make()
            try await endJobs(2, in: ledger)
            let deliveries = try await openDeliveries(in: ledger)
            #expect(try await ledger.exhausted(deliveries[0], attempt: deliveryAttempt(100, error: "down")))
            let status = try await ledger.status(of: "hook")
            #expect(status.backlog == 2)
            #expect(status.failed == 0)
            #expect(status.reason == "down")
            #expect(status.pausedSince == start + 100.25)
            #expect(!status.isHeld)
            #expect(try await openDeliveries(in: ledger).isEmpty)
            #expect(try await ledger.attempts(of: deliveries[0].id) == [deliveryAttempt(100, error: "down")])
            try await ledger.resume("hook", at: start + 200)
            // The schedule begins anew: otherwise one failure would pause the delegate again.
            #expect(try await openDeliveries(in: ledger).map(\.attempts) == [0, 0])
        },
        Rule("only what it took itself since the first failure lets a delegate go on") { suite in
            let ledger = try await suite.make()
            try await endJobs(3, for: ["hook", "other"], in: ledger)
            let others = try await openDeliveries(of: "other", in: ledger).map(\.id)
            let ids = try await openDeliveries(in: ledger).map(\.id)
            try await ledger.delivered([ids[0]], at: start + 5)
            try await ledger.failed([ids[1]], attempt: deliveryAttempt(10, error: "down"), dueAt: start)
            try await ledger.delivered(others, at: start + 15)
            let last = try #require(try await openDeliveries(in: ledger).first { $0.id == ids[1] })
            #expect(try await ledger.exhausted(last, attempt: deliveryAttempt(20, error: "down")))
            let status = try await ledger.status(of: "hook")
            #expect(
                status
                    == DelegateStatus(delegate: "hook", backlog: 2, pausedSince: start + 20.25, reason: "down"))
        },
    ]

    // MARK: Pauses

    static let pausing = [
        Rule("a paused delegate keeps its backlog, gets nothing, and is served at once when it is resumed") { suite in
            let ledger = try await suite.make()
            try await endJobs(3, for: ["hook", "beside"], in: ledger)
            let ids = try await openDeliveries(in: ledger).map(\.id)
            try await ledger.failed([ids[0]], attempt: deliveryAttempt(10, error: "down"), dueAt: start + 9999)
            try await ledger.pause("hook", reason: "gone", at: start + 50, held: false)
            // An outcome that comes meanwhile waits as well.
            try await record([event(.completed, makeJob("late", after: 60))], in: ledger)
            for ordered in [false, true] {
                let due = try await ledger.due(
                    for: "hook", ordered: ordered, now: start + 1e6, excluding: [], limit: 10)
                #expect(due.isEmpty)
                #expect(try await ledger.nextDue(for: "hook", ordered: ordered, excluding: []) == nil)
            }
            #expect(
                try await ledger.status(of: "hook")
                    == DelegateStatus(delegate: "hook", backlog: 4, pausedSince: start + 50, reason: "gone"))
            #expect(try await openDeliveries(of: "beside", in: ledger).count == 3)
            try await ledger.resume("hook", at: start + 200)
            let due = try await ledger.due(for: "hook", ordered: false, now: start + 200, excluding: [], limit: 10)
            #expect(due.count == 4)
            #expect(due.last?.id == ids[0])
            #expect(due.last?.dueAt == start + 200)
            #expect(due.allSatisfy { $0.attempts == 0 && $0.failingSince == nil })
            #expect(try await ledger.status(of: "hook") == DelegateStatus(delegate: "hook", backlog: 4))
        },
        Rule("an operator's pause outlives a failure's, and says so") { suite in
            let ledger = try await suite.make()
            try await ledger.pause("hook", reason: "down", at: start, held: false)
            try await ledger.pause("hook", reason: "still down", at: start + 1, held: false)
            let failing = DelegateStatus(delegate: "hook", backlog: 0, pausedSince: start, reason: "down")
            #expect(try await ledger.status(of: "hook") == failing)
            try await ledger.pause("hook", reason: "paused by jo", at: start + 1, held: true)
            try await ledger.pause("hook", reason: "down", at: start + 2, held: false)
            let status = try #require(try await ledger.statuses().first)
            #expect(status.isHeld)
            #expect(status.reason == "paused by jo")
            #expect(status.pausedSince == start)
            try await ledger.resume("hook", at: start + 3)
            #expect(try await ledger.status(of: "hook") == DelegateStatus(delegate: "hook", backlog: 0))
        },
        Rule("the statuses of all delegates go by name, those that have taken everything among them") { suite in
            let ledger = try await suite.make()
            #expect(try await ledger.statuses().isEmpty)
            try await endJobs(2, for: ["b", "a"], in: ledger)
            try await ledger.delivered(try await openDeliveries(of: "b", in: ledger).map(\.id), at: start + 5)
            try await ledger.pause("c", reason: "paused by jo", at: start + 6, held: true)
            let all = [
                DelegateStatus(delegate: "a", backlog: 2), DelegateStatus(delegate: "b", backlog: 0),
                DelegateStatus(
                    delegate: "c", backlog: 0, pausedSince: start + 6, reason: "paused by jo", isHeld: true),
            ]
            #expect(try await ledger.statuses() == all)
            for status in all { #expect(try await ledger.status(of: status.delegate) == status) }
            #expect(try await ledger.status(of: "d") == DelegateStatus(delegate: "d", backlog: 0))
        },
    ]
}
