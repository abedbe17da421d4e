import Foundation
import Testing
import Uploads

extension LedgerConformance {
    static let repeating = [replays, past, removedDelegates].flatMap { $0 }

    // MARK: Listings and replays

    private static let replays = [
        Rule("deliveries are listed page by page, by delegate, by job and by status") { suite in
            let ledger = try await suite.make()
            let jobs = try await endJobs(5, for: ["hook", "other"], in: ledger)
            let first = try await ledger.deliveries(DeliveryListing(delegate: "hook", limit: 3))
            let rest = try await ledger.deliveries(DeliveryListing(delegate: "hook", before: first.last?.id, limit: 3))
            #expect(first.count == 3)
            #expect((first + rest).map(\.job) == jobs.reversed().map(\.id.rawValue))
            #expect((first + rest).allSatisfy { $0.delegate == "hook" })
            #expect(try await ledger.deliveries(DeliveryListing()).count == 10)
            let ofJob = try await ledger.deliveries(DeliveryListing(job: jobs[2].id))
            #expect(Set(ofJob.map(\.delegate)) == ["hook", "other"])
            #expect(ofJob.map(\.event) == ["\(jobs[2].id).1.ended", "\(jobs[2].id).1.ended"])
            #expect(
                try await ledger.deliveries(DeliveryListing(delegate: "hook", job: jobs[2].id)).map(\.id)
                    == [first[2].id])
            try await ledger.delivered([first[0].id], at: start)
            #expect(
                try await ledger.deliveries(DeliveryListing(delegate: "hook", status: .delivered)).map(\.id)
                    == [first[0].id])
            #expect(try await ledger.deliveries(DeliveryListing(delegate: "hook", status: .waiting)).count == 4)
            #expect(try await ledger.deliveries(DeliveryListing(delegate: "hook", status: .failed)).isEmpty)
        },
        Rule("a replay brings back one, or those of a time, under their ids") { suite in
            let ledger = try await suite.make()
            try await endJobs(5, for: ["hook", "other"], in: ledger)
            let all = try await openDeliveries(in: ledger)
            let taken = deliveryAttempt(49, status: 200)
            try await ledger.delivered(all.map(\.id), at: start + 50, attempt: taken)
            #expect(try await openDeliveries(in: ledger).isEmpty)
            let later = start + 100
            #expect(try await ledger.replay(.one(all[4].id), at: later) == 1)
            #expect(try await openDeliveries(in: ledger).map(\.event) == [all[4].event])
            let record = try #require(try await ledger.deliveries(DeliveryListing(delegate: "hook")).first)
            #expect(record.id == all[4].id && record.status == .waiting)
            #expect(record.dueAt == later && record.deliveredAt == nil && record.attempts == 0)
            #expect(try await ledger.attempts(of: all[4].id) == [taken], "the log goes on")
            let range = DeliveryReplay.range(delegate: "hook", from: start + 1, to: start + 3)
            #expect(try await ledger.replay(range, at: later) == 2)
            let again = try await openDeliveries(in: ledger)
            #expect(again.map(\.event) == [all[1], all[2], all[4]].map(\.event))
            #expect(again.map(\.id) == [all[1], all[2], all[4]].map(\.id))
            #expect(try await openDeliveries(of: "other", in: ledger).count == 5)
            #expect(try await ledger.replay(.one(.max), at: later) == 0)
            #expect(try await ledger.replay(.failed(delegate: "hook"), at: later) == 0)
        },
        Rule("a long backlog is replayed and struck off to its end") { suite in
            let ledger = try await suite.make()
            let jobs = (0..<1500).map { makeJob("\($0)") }
            let routes = ["hook", "other"].map { DeliveryRoute(delegate: $0) }
            try await record(jobs.map { event(.completed, $0) }, in: ledger, routes: routes)
            let range = DeliveryReplay.range(delegate: "hook", from: start, to: start + 1)
            #expect(try await ledger.replay(range, at: start + 5) == 1500)
            #expect(try await ledger.nextDue(for: "hook", ordered: false, excluding: []) == start + 5)
            // The newest of a long backlog are found beside newer ones that were delivered.
            let newest = try await ledger.deliveries(DeliveryListing(delegate: "hook", limit: 30))
            try await ledger.delivered(newest.prefix(10).map(\.id), at: start + 6)
            let waiting = try await ledger.deliveries(DeliveryListing(delegate: "hook", status: .waiting, limit: 20))
            #expect(waiting.map(\.id) == newest.dropFirst(10).map(\.id))
            #expect(try await ledger.forget("hook") == 1490)
            let behind = try await ledger.statuses().filter { $0.backlog > 0 }
            #expect(behind == [DelegateStatus(delegate: "other", backlog: 1500)])
        },
    ]

    // MARK: Outcomes of before

    private static let past = [
        Rule("outcomes of before are delivered once, as the route and the time say") { suite in
            let ledger = try await suite.make()
            let jobs = (0..<600).map { makeJob("\($0)") }
            for (index, part) in [jobs[..<100], jobs[100...]].enumerated() {
                _ = try await ledger.record(
                    part.enumerated().map { event($0.offset % 2 == 0 ? .completed : .failed, $0.element) },
                    view: ControlView(), routes: [], now: start + Double(index) * 1000)
            }
            // A job that has not ended has no outcome to deliver.
            try await record([.job(makeJob("open"), maybeRepeated: false)], in: ledger, routes: [])
            let (from, now) = (start - 5000, start + 9999)
            let route = DeliveryRoute(delegate: "late", kinds: [.failed])
            #expect(try await ledger.deliverPast(route, from: from, to: .distantFuture, at: now) == 300)
            #expect(try await ledger.deliverPast(route, from: from, to: .distantFuture, at: now) == 0)
            #expect(try await ledger.deliverPast(route, from: from, to: from, at: now) == 0)
            let due = try await ledger.due(for: "late", ordered: false, now: now, excluding: [], limit: 1000)
            #expect(due.count == 300)
            #expect(due.allSatisfy { $0.event.kind == .failed && $0.event.id.hasSuffix(".1.ended") })
            #expect(due.allSatisfy { $0.dueAt == now && $0.attempts == 0 })
            #expect(Set(due.map(\.event.job.id)).count == 300)
        },
        Rule("a job's end decides whether it was in a time, and a replay finds it there") { suite in
            let ledger = try await suite.make()
            let jobs = try await endJobs(4, for: [], in: ledger)
            let route = DeliveryRoute(delegate: "late")
            #expect(try await ledger.deliverPast(route, from: start + 1, to: start + 3, at: start + 10) == 2)
            let due = try await openDeliveries(of: "late", in: ledger)
            #expect(due.map(\.event.id) == [jobs[1], jobs[2]].map { "\($0.id).1.ended" })
            let listed = try await ledger.deliveries(DeliveryListing(delegate: "late"))
            #expect(listed.map(\.createdAt) == [start + 2, start + 1])
            try await ledger.delivered(due.map(\.id), at: start + 11)
            let range = DeliveryReplay.range(delegate: "late", from: start + 2, to: start + 3)
            #expect(try await ledger.replay(range, at: start + 12) == 1)
            #expect(try await openDeliveries(of: "late", in: ledger).map(\.id) == [due[1].id])
        },
        Rule("outcomes that a delegate has received, or waits for, are not delivered anew") { suite in
            let ledger = try await suite.make()
            let jobs = try await endJobs(3, in: ledger)
            let ids = try await openDeliveries(in: ledger).map(\.id)
            try await ledger.delivered([ids[0]], at: start + 5)
            let other = makeJob("video", queue: "video", after: 3)
            try await record([event(.completed, other, after: 3)], in: ledger, routes: [])
            let end = start + 10
            let route = DeliveryRoute(delegate: "hook")
            let video = DeliveryRoute(delegate: "video", filter: DeliveryFilter(queues: ["video"]))
            #expect(try await ledger.deliverPast(route, from: start, to: end, at: end) == 1)
            #expect(
                try await openDeliveries(in: ledger).map(\.event.job.id) == [jobs[1].id, jobs[2].id, other.id])
            #expect(try await ledger.deliveries(DeliveryListing(status: .delivered)).map(\.id) == [ids[0]])
            #expect(try await ledger.deliverPast(video, from: start, to: end, at: end) == 1)
            #expect(try await openDeliveries(of: "video", in: ledger).map(\.event.job.id) == [other.id])
        },
    ]

    // MARK: Removed delegates

    private static let removedDelegates = [
        Rule("a removed delegate holds up no clean-up") { suite in
            let ledger = try await suite.make()
            try await endJobs(2, for: ["gone", "hook"], in: ledger)
            let told = try await openDeliveries(in: ledger)
            try await ledger.delivered(
                told.map(\.id), at: start, attempt: deliveryAttempt(1, status: 200))
            ledger.settle(try await ledger.owed().map(\.id))
            let end = start + 1e6
            #expect(try await ledger.prune(endedBefore: end, besides: ControlView(), limit: 10) == 0)
            #expect(try await ledger.statuses().map(\.delegate) == ["gone", "hook"])
            #expect(try await ledger.attempts(of: told[0].id).count == 1)
            #expect(try await ledger.forget("gone") == 2)
            #expect(try await ledger.statuses() == [DelegateStatus(delegate: "hook", backlog: 0)])
            #expect(try await ledger.prune(endedBefore: end, besides: ControlView(), limit: 10) == 2)
            #expect(try await ledger.attempts(of: told[0].id).isEmpty)
            #expect(try await ledger.deliveries(DeliveryListing()).isEmpty)
            #expect(try await ledger.statuses().isEmpty)
        },
        Rule("what a forgotten delegate has not taken is struck off with its pause, and what it has taken stays") {
            suite in
            let ledger = try await suite.make()
            try await endJobs(3, for: ["hook", "other"], in: ledger)
            let ids = try await openDeliveries(in: ledger).map(\.id)
            try await ledger.failed([ids[1]], attempt: deliveryAttempt(10, error: "bad"), dueAt: start)
            try await ledger.delivered([ids[0]], at: start + 11)
            let last = try #require(try await openDeliveries(in: ledger).first { $0.id == ids[1] })
            #expect(try await !ledger.exhausted(last, attempt: deliveryAttempt(20, error: "bad")))
            try await ledger.pause("hook", reason: "paused by jo", at: start + 30, held: true)
            #expect(
                try await ledger.status(of: "hook")
                    == DelegateStatus(
                        delegate: "hook", backlog: 1, failed: 1, pausedSince: start + 30, reason: "paused by jo",
                        isHeld: true))
            #expect(try await ledger.forget("hook") == 2, "one that waits, and one that was given up")
            #expect(try await ledger.attempts(of: ids[1]).isEmpty)
            #expect(try await ledger.deliveries(DeliveryListing(delegate: "hook")).map(\.id) == [ids[0]])
            #expect(
                try await ledger.statuses() == [
                    DelegateStatus(delegate: "hook", backlog: 0), DelegateStatus(delegate: "other", backlog: 3),
                ])
            #expect(try await ledger.forget("hook") == 0)
        },
        Rule("an attempt that ends after its delivery was struck off says nothing about a later delivery") { suite in
            let ledger = try await suite.make()
            try await endJobs(2, for: ["gone"], in: ledger)
            // Both are under way while the delegate is removed.
            let gone = try await openDeliveries(of: "gone", in: ledger).map(\.id)
            #expect(try await ledger.forget("gone") == 2)
            let later = [makeJob("c", after: 2), makeJob("d", after: 3)]
            try await record(later.map { event(.completed, $0) }, in: ledger)
            let waiting = try await openDeliveries(in: ledger)
            #expect(Set(waiting.map(\.id)).isDisjoint(with: gone))
            try await ledger.delivered([gone[0]], at: start + 5, attempt: deliveryAttempt(4, status: 200))
            try await ledger.failed([gone[1]], attempt: deliveryAttempt(4, error: "down"), dueAt: start + 1e6)
            #expect(try await openDeliveries(in: ledger) == waiting)
            for delivery in waiting { #expect(try await ledger.attempts(of: delivery.id).isEmpty) }
        },
    ]
}
