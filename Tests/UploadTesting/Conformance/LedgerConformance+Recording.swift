import Foundation
import Testing
import Uploads

extension LedgerConformance {
    /// What messages change.
    static let receiving = [
        Rule("a failure that is recorded twice is told once to each delegate that asked for failures") { suite in
            let ledger = try await suite.make()
            let job = makeJob("a")
            let batch = [.job(job, maybeRepeated: false), event(.started, job), event(.failed, job)]
            let first = try await record(batch, in: ledger, routes: choosyRoutes)
            let known = try await ledger.job(job.id)
            let second = try await record(batch, in: ledger, routes: choosyRoutes)
            #expect(first.count == 1 && second.isEmpty)
            #expect(known?.status == .failed)
            #expect(try await ledger.job(job.id) == known)
            #expect(try await ledger.events(of: job.id).map(\.kind) == [.started, .failed])
            for delegate in ["hook", "failures"] {
                #expect(try await ledger.status(of: delegate).backlog == 1)
            }
        },
        Rule("only the outcomes that a delegate asked for are put into its outbox, under the id that each repeat has") {
            suite in
            let ledger = try await suite.make()
            let job = makeJob("a")
            try await record([event(.completed, job)], in: ledger, routes: choosyRoutes)
            #expect(try await ledger.status(of: "hook").backlog == 1)
            #expect(try await ledger.status(of: "failures").backlog == 0)
            let due = try await ledger.due(for: "hook", ordered: false, now: start, excluding: [], limit: 10)
            #expect(due.map(\.event.id) == ["\(job.id).1.ended"])
        },
        Rule("the order of a batch holds, for what is owed and for what is delivered") { suite in
            let ledger = try await suite.make()
            let jobs = (0..<50).map { makeJob("\($0)") }
            let owed = try await record(jobs.map { event(.completed, $0) }, in: ledger)
            #expect(owed.map(\.job) == jobs.map(\.id))
            #expect(owed.map(\.id) == owed.map(\.id).sorted() && Set(owed.map(\.id)).count == 50)
            let due = try await ledger.due(for: "hook", ordered: false, now: start, excluding: [], limit: 100)
            #expect(due.map(\.event.job.id) == jobs.map(\.id))
        },
        Rule("of two orders with one id in a batch the first is kept and issued") { suite in
            let ledger = try await suite.make()
            let job = makeSecretJob()
            var other = job
            other.source = .inline(Data("other".utf8))
            let owed = try await record(
                [
                    .job(job, maybeRepeated: false, body: try WireJSON.encode(job)),
                    .job(other, maybeRepeated: true, body: try WireJSON.encode(other)),
                    event(.suspect, job.redacted),
                ], in: ledger)
            guard case .mark(let marker) = owed.first?.action,
                case .issue(let baton, _, _) = try await record([.marker(marker)], in: ledger).first?.action
            else {
                Issue.record("a suspect is marked and issued: \(owed)")
                return
            }
            #expect(baton.job == job)
        },
        Rule("answers show neither inline bytes nor the query of a URL") { suite in
            let ledger = try await suite.make()
            let job = makeSecretJob()
            #expect(job != job.redacted)
            try await record(
                [.job(job, maybeRepeated: false), event(.suspect, job), event(.completed, job)], in: ledger)
            #expect(try await ledger.job(job.id)?.baton.job == job.redacted)
            #expect(try await ledger.jobs(LedgerFilter()).jobs.map(\.baton.job) == [job.redacted])
            let events = try await ledger.events(of: job.id)
            #expect(events.map(\.kind) == [.suspect, .completed])
            #expect(events.allSatisfy { $0.job == job.redacted })
        },
        Rule("jobs to URLs are listed by the URL's scheme, those of one moment in the order of their recording") {
            suite in
            let ledger = try await suite.make()
            let jobs = (0..<5).map { makeSecretJob("\($0)") }
            try await record(
                jobs.map { .job($0, maybeRepeated: false) } + [event(.failed, jobs[4])], in: ledger)
            func found(_ filter: LedgerFilter) async throws -> [JobID] {
                try await ledger.jobs(filter).jobs.map(\.id)
            }
            let ids = jobs.map(\.id)
            #expect(try await found(LedgerFilter(order: .oldestFirst, limit: 2)) == Array(ids[..<2]))
            #expect(try await found(LedgerFilter(order: .oldestFirst, after: ids[2])) == Array(ids[3...]))
            #expect(try await found(LedgerFilter(statuses: [.failed])) == [ids[4]])
            #expect(try await found(LedgerFilter(destination: "https")) == ids.reversed())
            #expect(try await found(LedgerFilter(queue: QueueName(unchecked: "other"))).isEmpty)
            #expect(try await ledger.counts() == [.queued: 4, .failed: 1])
        },
        Rule("jobs of any size are recorded, and their sums are the largest number at most") { suite in
            let ledger = try await suite.make()
            var jobs = ["x", "y", "z"].map { makeJob($0, size: .max) }
            jobs.append(makeJob("good"))
            try await record(jobs.map { .job($0, maybeRepeated: false) }, in: ledger)
            #expect(try await ledger.counts() == [.queued: 4])
            #expect(try await ledger.queues(throughputSince: start).map(\.bytesLeft) == [.max])
            #expect(try await ledger.destinations().map(\.bytesLeft) == [.max])
        },
        Rule("a job is issued above the generation that the control log names, whatever the ledger has lost") { suite in
            let ledger = try await suite.make()
            let job = makeJob("a")
            var view = ControlView()
            view.apply(.fence([job.id: 7]))
            let none = try await ledger.record(
                [.job(job, maybeRepeated: false), event(.suspect, job)], view: view, routes: [], now: start)
            #expect(none.isEmpty, "the suspect's generation no longer counts")
            #expect(try await ledger.job(job.id)?.generation == 7)
            let owed = try await ledger.order(.runNow, of: job.id, view: view, routes: [], now: start)
            guard case .mark(let marker) = owed.first?.action else {
                Issue.record("an order to run now is owed a marker")
                return
            }
            let issued = try await ledger.record([.marker(marker)], view: view, routes: [], now: start)
            guard case .issue(let baton, let lane, false) = issued.first?.action else {
                Issue.record("a marker is owed an issue")
                return
            }
            #expect(baton.generation == 8 && baton.job == job && lane == .urgent)
            #expect(issued.dropFirst().map(\.action) == [.append(.fence([job.id: 8]))])
        },
        // MARK: Ended jobs
        Rule("ended jobs are forgotten once all delegates have their outcomes, and no others") { suite in
            let ledger = try await suite.make()
            let (told, untold, open) = (makeJob("told"), makeJob("untold"), makeJob("open"))
            let owed = try await record(
                [event(.completed, told), event(.completed, untold), .job(open, maybeRepeated: false)], in: ledger,
                routes: choosyRoutes)
            ledger.settle(owed.map(\.id))
            let due = try await ledger.due(for: "hook", ordered: false, now: start, excluding: [], limit: 10)
            try await ledger.delivered(due.filter { $0.event.job.id == told.id }.map(\.id), at: start)
            #expect(try await ledger.prune(endedBefore: start, besides: ControlView(), limit: 10) == 0)
            #expect(try await ledger.prune(endedBefore: start + 1, besides: ControlView(), limit: 10) == 1)
            #expect(try await ledger.job(told.id) == nil)
            #expect(try await ledger.events(of: told.id).isEmpty)
            #expect(Set(try await ledger.jobs(LedgerFilter()).jobs.map(\.id)) == [untold.id, open.id])
        },
        Rule(
            "fences of jobs that are unknown or have not ended stay, others as long as a worker may hold a baton below"
        ) {
            suite in
            let ledger = try await suite.make()
            let (failed, done, open, unknown) = (makeJob("failed"), makeJob("done"), makeJob("open"), JobID())
            try await record(
                [event(.failed, failed), event(.completed, done), .job(open, maybeRepeated: false)], in: ledger)
            let named = [failed.id, open.id, unknown, done.id]
            // The order may be tried for as long as any destination allows.
            let last = start + RetryPolicy.destinationAgeMaximum + LedgerJob.fenceMargin
            #expect(try await ledger.outlived(named, at: last - 1).isEmpty)
            #expect(try await Set(ledger.outlived(named, at: last + 1)) == [failed.id, done.id])
            #expect(try await ledger.outlived([open.id], at: last + 1).isEmpty)
            #expect(try await ledger.outlived([], at: last + 1).isEmpty)
        },
    ]

    /// A delegate that takes all outcomes, and one that takes failures.
    private static let choosyRoutes = [
        DeliveryRoute(delegate: "hook"), DeliveryRoute(delegate: "failures", kinds: [.failed]),
    ]
}
