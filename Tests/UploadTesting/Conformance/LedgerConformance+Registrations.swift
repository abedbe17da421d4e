import Foundation
import Testing
import Uploads

extension LedgerConformance {
    static let registering = [registrations, apps].flatMap { $0 }

    // MARK: Delegates

    private static let registrations = [
        Rule("delegates are kept as they were registered and changed, by name, and each name once") { suite in
            let ledger = try await suite.make()
            #expect(try await ledger.registrations().isEmpty)
            try await ledger.register(registration("b"))
            try await ledger.register(registration("a"))
            var other = registration("a")
            other.definition = Data("other".utf8)
            let taken = await rejection { [other] () throws(UploadError) in try await ledger.register(other) }
            #expect(taken == .rejected)
            let later = start + 60
            try await ledger.redefine("b", Data("new".utf8), at: later)
            let unknown = await rejection { () throws(UploadError) in
                try await ledger.redefine("c", Data(), at: later)
            }
            #expect(unknown == .rejected)
            var changed = registration("b")
            changed.definition = Data("new".utf8)
            changed.changedAt = later
            #expect(try await ledger.registrations() == [registration("a"), changed])
        },
        Rule("what waits for a delegate keeps it from being removed unless it is to be discarded") { suite in
            let ledger = try await suite.make()
            try await ledger.register(registration("hook"))
            try await endJobs(3, for: ["hook", "other"], in: ledger)
            let first = try await ledger.due(for: "hook", ordered: false, now: start + 9, excluding: [], limit: 1)
            try await ledger.delivered(first.map(\.id), at: start)
            #expect(try await ledger.unregister("hook", discarding: false, at: start) == 2)
            #expect(try await ledger.registrations() == [registration("hook")])
            #expect(try await ledger.unregister("hook", discarding: true, at: start) == 2)
            var removed = registration("hook")
            removed.removedAt = start
            #expect(try await ledger.registrations() == [removed])
            let change = await rejection { () throws(UploadError) in
                try await ledger.redefine("hook", Data(), at: start)
            }
            #expect(change == .rejected)
            #expect(try await ledger.forget("hook") == 2)
            #expect(try await ledger.registrations().isEmpty)
            #expect(try await ledger.status(of: "hook").backlog == 0)
            #expect(try await ledger.status(of: "other").backlog == 3)
            let gone = await rejection { () throws(UploadError) in
                _ = try await ledger.unregister("hook", discarding: true, at: start)
            }
            #expect(gone == .rejected)
        },
        Rule("a delegate for which nothing waits is removed without a word, and one that it gave up counts") { suite in
            let ledger = try await suite.make()
            try await ledger.register(registration("idle"))
            try await ledger.register(registration("hook"))
            try await endJobs(2, in: ledger)
            let ids = try await openDeliveries(in: ledger).map(\.id)
            try await ledger.failed([ids[0]], attempt: deliveryAttempt(10, error: "bad"), dueAt: start)
            try await ledger.delivered([ids[1]], at: start + 11)
            let last = try #require(try await openDeliveries(in: ledger).first)
            #expect(try await !ledger.exhausted(last, attempt: deliveryAttempt(20, error: "bad")))
            #expect(try await ledger.unregister("hook", discarding: false, at: start + 30) == 1)
            #expect(try await ledger.unregister("idle", discarding: false, at: start + 30) == 0)
            var removed = registration("idle")
            removed.removedAt = start + 30
            #expect(try await ledger.registrations() == [registration("hook"), removed])
        },
        Rule("a name is taken until what its removed delegate has not taken is struck off") { suite in
            let ledger = try await suite.make()
            try await ledger.register(registration("hook"))
            try await endJobs(2, in: ledger)
            #expect(try await ledger.unregister("hook", discarding: true, at: start + 5) == 2)
            #expect(try await ledger.unregister("hook", discarding: true, at: start + 9) == 2)
            #expect(try await ledger.registrations().map(\.removedAt) == [start + 5])
            let taken = await rejection { () throws(UploadError) in
                try await ledger.register(registration("hook"))
            }
            #expect(taken == .rejected)
            #expect(try await ledger.forget("hook") == 2)
            try await ledger.register(registration("hook"))
            #expect(try await ledger.registrations() == [registration("hook")])
            #expect(try await ledger.status(of: "hook") == DelegateStatus(delegate: "hook", backlog: 0))
            // Striking off ends the registration of a removed delegate alone.
            #expect(try await ledger.forget("hook") == 0)
            #expect(try await ledger.registrations() == [registration("hook")])
        },
    ]

    private static func registration(_ name: String) -> DelegateRegistration {
        DelegateRegistration(name: name, definition: Data(#"{"secret":"hidden"}"#.utf8), createdAt: start)
    }

    /// The code of the error that is thrown; nil if none is.
    private static func rejection(_ body: () async throws(UploadError) -> Void) async -> UploadError.Code? {
        do throws(UploadError) { try await body() } catch { return error.code }
        return nil
    }

    // MARK: Apps

    private static let apps = [
        Rule("the first job of an app registers it, and its outcome waits for the app alone") { suite in
            let ledger = try await suite.make()
            let (own, other) = (appJob("app", "own"), appJob(nil, "other"))
            _ = try await ledger.record(
                [.job(own, maybeRepeated: false), .job(other, maybeRepeated: false)], view: ControlView(), routes: [],
                now: start + 5)
            let registered = try #require(try await ledger.registrations().first)
            #expect(try await ledger.registrations().count == 1)
            #expect(registered.name == "client-app" && !registered.definition.isEmpty)
            #expect(registered.createdAt == start + 5 && registered.changedAt == start + 5)
            #expect(registered.removedAt == nil)
            try await record([event(.completed, own), event(.completed, other)], in: ledger, routes: [])
            let due = try await ledger.due(for: "client-app", ordered: true, now: start, excluding: [], limit: 9)
            #expect(due.map(\.event.id) == ["\(own.id).1.ended"])
            #expect(try await ledger.statuses() == [DelegateStatus(delegate: "client-app", backlog: 1)])
            #expect(try await ledger.registrations() == [registered])
        },
        Rule("an outcome of a job that a lost ledger knew registers its app as well") { suite in
            let ledger = try await suite.make()
            try await record([event(.failed, appJob("app"))], in: ledger, routes: [])
            #expect(try await ledger.registrations().map(\.name) == ["client-app"])
            #expect(try await ledger.status(of: "client-app").backlog == 1)
        },
        Rule("any event or dead letter about a job registers its app") { suite in
            let ledger = try await suite.make()
            let jobs = ["a", "b", "c"].map { appJob($0, $0) }
            try await record(
                [
                    event(.started, jobs[0]), event(.suspect, jobs[1], slice: 1),
                    .deadBaton(Baton(job: jobs[2]), .deliveryLimit),
                ], in: ledger, routes: [])
            #expect(try await ledger.registrations().map(\.name) == ["client-a", "client-b", "client-c"])
            #expect(try await ledger.statuses().isEmpty, "none has an outcome yet")
        },
        Rule("an outcome is put into an app's outbox once, served or not, beside those of others") { suite in
            let ledger = try await suite.make()
            let route = DeliveryRoute(delegate: "client-app", filter: DeliveryFilter(client: "app"))
            let job = appJob("app")
            try await record(
                [event(.completed, job)], in: ledger, routes: [route, DeliveryRoute(delegate: "hook")])
            try await record([event(.completed, job)], in: ledger, routes: [])
            #expect(try await ledger.status(of: "client-app").backlog == 1)
            #expect(try await ledger.status(of: "hook").backlog == 1)
        },
        Rule("while a removed app is struck off nothing is added to it, and the next job registers it again") { suite in
            let ledger = try await suite.make()
            try await record([event(.completed, appJob("app", "a"))], in: ledger, routes: [])
            #expect(try await ledger.unregister("client-app", discarding: true, at: start + 5) == 1)
            try await record([event(.completed, appJob("app", "b"))], in: ledger, routes: [])
            #expect(try await ledger.registrations().map(\.removedAt) == [start + 5])
            #expect(try await ledger.status(of: "client-app").backlog == 1)
            #expect(try await ledger.forget("client-app") == 1)
            #expect(try await ledger.registrations().isEmpty)
            let next = appJob("app", "c")
            try await record([event(.completed, next)], in: ledger, routes: [])
            #expect(try await ledger.registrations().map(\.name) == ["client-app"])
            #expect(try await ledger.registrations().map(\.removedAt) == [nil])
            let due = try await openDeliveries(of: "client-app", in: ledger)
            #expect(due.map(\.event.id) == ["\(next.id).1.ended"])
        },
        Rule("beyond the limit, and without a valid identifier, jobs are recorded and no app is registered") { suite in
            let ledger = try await suite.make()
            let limit = ClientRoutes.clientCountMaximum
            // Only apps count, not the delegates of operators.
            try await ledger.register(registration("hook"))
            let jobs = (0...limit).map { appJob("app-\($0)", "\($0)") } + [appJob("Not One", "x")]
            try await record(jobs.map { event(.completed, $0) }, in: ledger, routes: [])
            let names = try await ledger.registrations().map(\.name)
            #expect(names.count { ClientDelegate.isName($0) } == limit)
            #expect(names.count == limit + 1)
            #expect(try await ledger.counts() == [.completed: limit + 2])
            #expect(try await ledger.jobs(LedgerFilter(limit: 1000)).jobs.count == 1000)
            #expect(try await ledger.status(of: "client-app-\(limit)").backlog == 0)
            #expect(try await ledger.status(of: "client-app-0").backlog == 1)
            // The limit holds in the next transaction as well, for those that are not registered.
            try await record(
                [event(.completed, appJob("app-0", "y")), event(.completed, appJob("late", "z"))], in: ledger,
                routes: [])
            #expect(try await ledger.registrations().count == limit + 1)
            #expect(try await ledger.status(of: "client-app-0").backlog == 2)
            #expect(try await ledger.status(of: "client-late").backlog == 0)
        },
    ]

    private static func appJob(_ client: String?, _ key: String = "a") -> UploadJob {
        var job = makeJob(key)
        job.client = client
        return job
    }
}
