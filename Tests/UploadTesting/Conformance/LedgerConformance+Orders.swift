import Foundation
import Testing
import Uploads

extension LedgerConformance {
    static let ordering = [
        Rule("a job that is cancelled while it waits in line ends in the transaction that records the order") { suite in
            let ledger = try await suite.make()
            var jobs = (0..<3).map { makeJob("\($0)", after: Double($0)) }
            for index in jobs.indices { jobs[index].serial = .end }
            jobs[1].client = "app"
            try await record(jobs.map { .job($0, maybeRepeated: false) }, in: ledger)
            let order = UploadOrder(.jobs(.cancel, [jobs[1].id]), by: "jo", at: start)
            let routes = [DeliveryRoute(delegate: "hook")]
            let step = try await ledger.carryOut(order, view: ControlView(), routes: routes, now: start + 5)
            #expect(step.answer?.done == 1)
            let ended = try #require(try await ledger.job(jobs[1].id))
            let end = try #require(ended.end)
            #expect(end.kind == .cancelled && end.at == start + 5)
            #expect(ended.line == nil)
            #expect(try await ledger.events(of: jobs[1].id).map(\.kind) == [.cancelled])
            let due = try await ledger.due(for: "hook", ordered: false, now: start + 5, excluding: [], limit: 10)
            #expect(due.map(\.event.id) == ["\(jobs[1].id).1.ended"])
            #expect(try await ledger.status(of: "client-app").backlog == 1, "its own app is told as well")
            // The ledger owes both until they are published, the end first. After a crash the end is repeated, and the order to
            // remove the copy goes to a worker, which may get it twice.
            let owed = try await ledger.owed().filter { $0.job == jobs[1].id }.map(\.action)
            guard owed.count == 3, case .outcome = owed[0], case .issue(let baton, .urgent, true) = owed[1] else {
                Issue.record("an end, a baton and a fence are owed, not \(owed)")
                return
            }
            #expect(baton.onlyRemovesCopy && baton.job == jobs[1])
            #expect(owed[2] == .append(.fence([jobs[1].id: 2])))
            // The serial line is the same without the job; a repeated order changes nothing.
            #expect(
                try await ledger.line(of: .standard, after: nil, limit: 9).entries.map(\.job.id)
                    == [0, 2].map { jobs[$0].id })
            let again = try await ledger.carryOut(order, view: ControlView(), routes: routes, now: start + 6)
            #expect(again.owed.isEmpty && again.answer == step.answer)
        },
        Rule("one that is cancelled when its turn has just come gives it to the next") { suite in
            let ledger = try await suite.make()
            var jobs = (0..<2).map { makeJob("\($0)", after: Double($0)) }
            for index in jobs.indices { jobs[index].serial = .end }
            let marks = try await record(jobs.map { .job($0, maybeRepeated: false) }, in: ledger)
            let owed = try await ledger.order(
                .cancel, of: jobs[0].id, view: ControlView(), routes: [DeliveryRoute(delegate: "hook")], now: start)
            let next = owed.compactMap { if case .mark(let marker) = $0.action { marker } else { nil } }
            #expect(next.map(\.job) == [jobs[1].id])
            let late = marks.compactMap {
                if case .mark(let marker) = $0.action { NotifierMessage.marker(marker) } else { nil }
            }
            #expect(late.count == 1)
            #expect(try await record(late, in: ledger).isEmpty)
            let issued = try await record(next.map { .marker($0) }, in: ledger)
            guard case .issue(let baton, _, _) = issued.first?.action else {
                Issue.record("the next one is owed an issue")
                return
            }
            #expect(baton.job.id == jobs[1].id && !baton.isCancel)
        },
        Rule("a verb is noted, or refused with the reason") { suite in
            let ledger = try await suite.make()
            let job = makeJob("a")
            try await record([.job(job, maybeRepeated: false)], in: ledger)
            let owed = try await ledger.order(.cancel, of: job.id, view: ControlView(), routes: [], now: start)
            #expect(owed.count == 1)
            #expect(try await ledger.job(job.id)?.isCancelling == true)
            for (verb, id, why) in [(Verb.pause, job.id, "is being cancelled"), (.cancel, JobID(), "knows no job")] {
                let error = await #expect(throws: UploadError.self) {
                    _ = try await ledger.order(verb, of: id, view: ControlView(), routes: [], now: start)
                }
                #expect(error?.code == .rejected && error?.message.contains(why) == true)
            }
            #expect(try await ledger.owed() == owed)
        },
        Rule("a pause of many jobs is one entry, which is repeated after a crash") { suite in
            let ledger = try await suite.make()
            let jobs = try await recordJobs(20, in: ledger)
            let (answer, owed) = try await carryOut(order(.matching(.pause, OrderFilter(), atMost: nil)), in: ledger)
            #expect(answer.done == 20)
            #expect(
                owed.map(\.action)
                    == [.append(.pause(Dictionary(uniqueKeysWithValues: jobs.map { ($0.id, 1) })))])
            #expect(try await ledger.owed() == owed, "it is repeated after a crash")
            ledger.settle(owed.map(\.id))
            #expect(try await ledger.owed().isEmpty)
        },
        Rule(
            "an order about more jobs than a page takes several transactions, goes on after a restart and forgets none"
        ) {
            suite in
            var ledger = try await suite.make()
            let jobs = try await recordJobs(OrderRun.pageMaximum * 2 + 1, in: ledger)
            let order = order(.matching(.cancel, OrderFilter(queue: .standard), atMost: nil))
            let first = try await ledger.carryOut(order, view: ControlView(), routes: [], now: start)
            #expect(first.answer == nil && first.owed.count == OrderRun.pageMaximum)
            ledger = try await suite.reopen(ledger)
            let (answer, owed) = try await carryOut(order, in: ledger)
            #expect(answer.matched == jobs.count && answer.done == jobs.count)
            #expect(answer.jobs.count == OrderAnswer.jobsMaximum)
            #expect(first.owed.count + owed.count == jobs.count)
            #expect(Set((first.owed + owed).map(\.job)) == Set(jobs.map(\.id)))
        },
        Rule("more matches than an order allows are counted and left alone") { suite in
            let ledger = try await suite.make()
            _ = try await recordJobs(3, in: ledger)
            let few = order(.matching(.cancel, OrderFilter(), atMost: 2))
            let (answer, owed) = try await carryOut(few, in: ledger)
            #expect(answer == OrderAnswer(order: few.id, matched: 3, problem: .tooMany))
            #expect(owed.isEmpty)
            let (allowed, _) = try await carryOut(order(.matching(.cancel, OrderFilter(), atMost: 3)), in: ledger)
            #expect(allowed.done == 3)
        },
        Rule("an order's filter means jobs that can obey, by queue, destination, batch and status") { suite in
            let ledger = try await suite.make()
            var named = makeJob("named")
            named.batch = "holiday"
            let elsewhere = makeJob("elsewhere", queue: "video")
            let ended = makeJob("ended")
            try await record(
                [named, elsewhere, ended].map { .job($0, maybeRepeated: false) } + [event(.failed, ended)], in: ledger)
            func matched(_ verb: Verb, _ filter: OrderFilter) async throws -> [JobID] {
                try await carryOut(order(.matching(verb, filter, atMost: nil)), in: ledger).0.jobs.map(\.id)
            }
            #expect(try await matched(.pause, OrderFilter(batch: "holiday")) == [named.id])
            #expect(try await matched(.resume, OrderFilter()) == [named.id], "only what is paused")
            #expect(try await matched(.pause, OrderFilter(queue: elsewhere.queue)) == [elsewhere.id])
            #expect(try await matched(.runAgain, OrderFilter()) == [ended.id])
            #expect(try await matched(.cancel, OrderFilter(statuses: [.completed])).isEmpty)
            #expect(try await matched(.cancel, OrderFilter(destination: "nowhere")).isEmpty)
            #expect(
                try await Set(matched(.cancel, OrderFilter(destination: "photos"))) == [named.id, elsewhere.id])
        },
        Rule("an order that comes again changes nothing and has the same answer") { suite in
            let ledger = try await suite.make()
            let job = try await recordJobs(1, in: ledger)[0]
            let pause = order(.jobs(.pause, [job.id, JobID()]))
            let (answer, owed) = try await carryOut(pause, in: ledger)
            #expect(answer.matched == 2 && answer.jobs.map(\.done) == [true, false])
            #expect(answer.jobs.last?.reason?.contains("knows no job") == true)
            #expect(owed.map(\.action) == [.append(.pause([job.id: 1]))])
            let (_, marks) = try await carryOut(order(.jobs(.resume, [job.id])), in: ledger)
            guard case .mark(let marker) = marks.first?.action else {
                Issue.record("an order to resume is owed a marker")
                return
            }
            try await record([.marker(marker)], in: ledger)
            let (again, none) = try await carryOut(pause, in: ledger)
            #expect(again == answer && none.isEmpty)
            #expect(try await ledger.job(job.id)?.isPaused == false, "the repeat must not undo the resume")
        },
        Rule("an order about queues is owed as control entries, one for each queue") { suite in
            let ledger = try await suite.make()
            let video = QueueName(unchecked: "video")
            let (stopped, stops) = try await carryOut(order(.stopQueues([.standard, video])), in: ledger)
            #expect(stopped.matched == 2 && stopped.done == 2 && stopped.jobs.isEmpty)
            #expect(stops.map(\.action) == [.append(.queueStopped(.standard)), .append(.queueStopped(video))])
            let (_, starts) = try await carryOut(order(.startQueues([video])), in: ledger)
            #expect(starts.map(\.action) == [.append(.queueStarted(video))])
            #expect(try await ledger.owed() == stops + starts)
        },
        Rule("an order about workers is owed as control entries, one for each worker") { suite in
            let ledger = try await suite.make()
            let drain = order(.drainWorkers(["host/1-a", "host/2-b"]))
            let (drained, drains) = try await carryOut(drain, in: ledger)
            #expect(drained.matched == 2 && drained.done == 2 && drained.jobs.isEmpty)
            #expect(drains.map(\.action) == [.append(.workerDrained("host/1-a")), .append(.workerDrained("host/2-b"))])
            let (_, resumes) = try await carryOut(order(.resumeWorkers(["host/2-b"])), in: ledger)
            #expect(resumes.map(\.action) == [.append(.workerResumed("host/2-b"))])
            #expect(try await carryOut(drain, in: ledger).1.isEmpty, "the repeat must not undo the resume")
            #expect(try await ledger.owed() == drains + resumes)
        },
        Rule("orders are forgotten with the jobs that ended") { suite in
            let ledger = try await suite.make()
            let old = order(.stopQueues([.standard]))
            _ = try await carryOut(old, in: ledger)
            #expect(try await carryOut(old, in: ledger).1.isEmpty)
            _ = try await ledger.prune(endedBefore: start, besides: ControlView(), limit: 10)
            #expect(try await carryOut(old, in: ledger).1.isEmpty)
            _ = try await ledger.prune(endedBefore: start + 1, besides: ControlView(), limit: 10)
            #expect(try await carryOut(old, in: ledger).1.count == 1)
        },
    ]

    static func order(_ command: UploadOrder.Command) -> UploadOrder {
        UploadOrder(command, by: "jo@here", at: start)
    }

    static func recordJobs(_ count: Int, in ledger: any Ports) async throws -> [UploadJob] {
        let jobs = (0..<count).map { makeJob("\($0)") }
        try await record(jobs.map { .job($0, maybeRepeated: false) }, in: ledger)
        return jobs
    }

    /// Carries an order out to its end.
    /// - Returns: the answer, and the publications of all steps.
    static func carryOut(
        _ order: UploadOrder, in ledger: any Ports
    ) async throws -> (OrderAnswer, [OwedAction]) {
        var owed: [OwedAction] = []
        while true {
            let step = try await ledger.carryOut(order, view: ControlView(), routes: [], now: start)
            owed += step.owed
            if let answer = step.answer { return (answer, owed) }
        }
    }
}
