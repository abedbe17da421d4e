import Foundation
import Testing
import Uploads

extension LedgerConformance {
    static let retention = [
        Rule("the number of an event is never given again, though the newest event was removed with its job") { suite in
            var ledger = try await suite.make()
            for restarts in [false, true] {
                let (old, new) = (makeJob("old"), makeJob("new"))
                let owed = try await record([event(.completed, old)], in: ledger, routes: [])
                ledger.settle(owed.map(\.id))
                let last = try await ledger.lastSequence()
                #expect(try await ledger.prune(endedBefore: start + 1, besides: ControlView(), limit: 10) == 1)
                #expect(try await ledger.job(old.id) == nil)
                #expect(try await ledger.events(of: old.id).isEmpty)
                if restarts { ledger = try await suite.reopen(ledger) }
                try await record([event(.started, new)], in: ledger)
                let page = try await ledger.events(after: last, EventFilter(), limit: 10)
                #expect(page.events.map(\.event.job.id) == [new.id])
            }
        },
        Rule("a completed job keeps no inline bytes and cannot run again, a failed one runs again with its bytes") {
            suite in
            let ledger = try await suite.make()
            var (completed, failed) = (makeJob("completed"), makeJob("failed", after: 1))
            completed.source = .inline(Data("small".utf8))
            failed.source = .inline(Data("small".utf8))
            try await record([.job(completed, maybeRepeated: false), .job(failed, maybeRepeated: false)], in: ledger)
            try await record([event(.completed, completed.redacted), event(.failed, failed.redacted)], in: ledger)
            // The order may come once more, from a producer in doubt.
            try await record([.job(completed, maybeRepeated: true)], in: ledger)
            let (gone, kept) = (completed.id, failed.id)
            try await ledger.transaction { store throws in
                #expect(try store.originalOrder(of: gone) == nil)
                #expect(try store.originalOrder(of: kept)?.source == .inline(Data("small".utf8)))
            }
            let error = await #expect(throws: UploadError.self) {
                try await ledger.order(.runAgain, of: gone, view: ControlView(), routes: [], now: start)
            }
            #expect(error?.code == .rejected && error?.message.contains("keeps no inline bytes") == true)
            let marks = try await ledger.order(.runAgain, of: kept, view: ControlView(), routes: [], now: start)
            guard case .mark(let marker) = marks.first?.action,
                case .issue(let baton, _, _) = try await record([.marker(marker)], in: ledger).first?.action
            else {
                Issue.record("a baton is owed for the failed job")
                return
            }
            #expect(baton.job == failed && baton.round == 2)
        },
        Rule("ended jobs are removed once every delegate has their outcomes, and no others") { suite in
            let ledger = try await suite.make()
            let (told, untold, open) = (makeJob("told"), makeJob("untold"), makeJob("open"))
            let owed = try await record(
                [event(.completed, told), event(.completed, untold), .job(open, maybeRepeated: false)], in: ledger)
            ledger.settle(owed.map(\.id))
            let due = try await ledger.due(for: "hook", ordered: false, now: start, excluding: [], limit: 10)
            try await ledger.delivered(due.filter { $0.event.job.id == told.id }.map(\.id), at: start)
            #expect(try await ledger.prune(endedBefore: start, besides: ControlView(), limit: 10) == 0)
            #expect(try await ledger.prune(endedBefore: start + 1, besides: ControlView(), limit: 10) == 1)
            #expect(try await ledger.job(told.id) == nil)
            #expect(try await ledger.events(of: told.id).isEmpty)
            #expect(try await ledger.deliveries(DeliveryListing(job: told.id)).isEmpty)
            #expect(Set(try await ledger.jobs(LedgerFilter()).jobs.map(\.id)) == [untold.id, open.id])
        },
        Rule("a job stays until its publications are confirmed, and while the control log names it") { suite in
            let ledger = try await suite.make()
            let (job, fenced, paused) = (makeJob("a"), makeJob("b"), makeJob("c"))
            let all = [job, fenced, paused]
            let owed = try await record(all.map { event(.completed, $0) }, in: ledger, routes: [])
            var view = ControlView()
            view.apply(.fence([fenced.id: 2]))
            view.apply(.pause([paused.id: 1]))
            #expect(try await ledger.prune(endedBefore: start + 1, besides: view, limit: 10) == 0)
            ledger.settle(owed.map(\.id))
            #expect(try await ledger.prune(endedBefore: start + 1, besides: view, limit: 10) == 1)
            #expect(Set(try await ledger.jobs(LedgerFilter()).jobs.map(\.id)) == [fenced.id, paused.id])
            view.apply(.forget([fenced.id: 2]))
            #expect(try await ledger.prune(endedBefore: start + 1, besides: view, limit: 10) == 1)
            #expect(try await ledger.jobs(LedgerFilter()).jobs.map(\.id) == [paused.id])
        },
        Rule("jobs are removed page by page, and a job that is removed may come again") { suite in
            let ledger = try await suite.make()
            let jobs = (0..<5).map { makeJob("\($0)", after: Double($0)) }
            let owed = try await record(jobs.map { event(.failed, $0) }, in: ledger, routes: [])
            ledger.settle(owed.map(\.id))
            var counts: [Int] = []
            repeat {
                counts.append(try await ledger.prune(endedBefore: start + 1, besides: ControlView(), limit: 2))
            } while counts.last == 2
            #expect(counts == [2, 2, 1])
            #expect(try await ledger.counts().isEmpty)
            #expect(try await ledger.queues(throughputSince: start).isEmpty)
            #expect(try await ledger.destinations().isEmpty)
            let again = try await record([event(.failed, jobs[0])], in: ledger)
            #expect(again.count == 1)
            #expect(try await ledger.job(jobs[0].id)?.status == .failed)
            #expect(try await ledger.status(of: "hook").backlog == 1)
        },
        Rule("what is about no single job goes with the last old job: orders, minutes, letters that were replayed") {
            suite in
            let ledger = try await suite.make()
            let old = UploadOrder(.stopQueues([.standard]), by: "jo", at: start)
            let new = UploadOrder(.stopQueues([.standard]), by: "jo", at: start + 60)
            for order in [old, new] {
                let step = try await ledger.carryOut(order, view: ControlView(), routes: [], now: start)
                #expect(step.owed.count == 1 && step.answer?.done == 1)
                ledger.settle(step.owed.map(\.id))
                let again = try await ledger.carryOut(order, view: ControlView(), routes: [], now: start)
                #expect(again.owed.isEmpty && again.answer == step.answer)
            }
            let (early, late) = (makeJob("a"), makeJob("b"))
            let owed = try await record(
                [
                    .job(makeJob("open"), maybeRepeated: false), event(.completed, early),
                    event(.completed, late, after: 60),
                ] + ["{", "["].map { .unreadable(Data($0.utf8), reason: "no JSON") }, in: ledger, routes: [])
            ledger.settle(owed.map(\.id))
            let letters = try await ledger.unreadable(before: nil, limit: 10)
            #expect(letters.count == 2)
            #expect(try await ledger.noteReplayed(letters[0].id, at: start, by: "jo"))
            func minutes() async throws -> [Date]? {
                try await ledger.queues(throughputSince: start - 60).first?.throughput.map(\.start)
            }
            #expect(try await minutes() == [start, start + 60])
            // The page is full, so that more old jobs may follow: the rest stays.
            #expect(try await ledger.prune(endedBefore: start + 60, besides: ControlView(), limit: 1) == 1)
            #expect(try await minutes() == [start, start + 60])
            #expect(try await ledger.unreadable(before: nil, limit: 10).count == 2)
            #expect(try await ledger.prune(endedBefore: start + 60, besides: ControlView(), limit: 1) == 0)
            #expect(try await minutes() == [start + 60])
            #expect(try await ledger.unreadable(before: nil, limit: 10).map(\.id) == [letters[1].id])
            let steps = [
                try await ledger.carryOut(old, view: ControlView(), routes: [], now: start),
                try await ledger.carryOut(new, view: ControlView(), routes: [], now: start),
            ]
            #expect(steps.map(\.owed.count) == [1, 0], "the old order is not known any more")
        },
        Rule("a removed delegate holds up no clean-up") { suite in
            let ledger = try await suite.make()
            let routes = ["gone", "hook"].map { DeliveryRoute(delegate: $0) }
            let jobs = (0..<2).map { makeJob("\($0)") }
            try await record(jobs.map { event(.completed, $0) }, in: ledger, routes: routes)
            let told = try await ledger.due(for: "hook", ordered: false, now: start, excluding: [], limit: 100)
            let attempt = DeliveryAttempt(at: start, seconds: 0.25, status: 200, answer: "said", error: nil)
            try await ledger.delivered(told.map(\.id), at: start, attempt: attempt)
            #expect(try await ledger.attempts(of: told[0].id) == [attempt])
            let end = start + 1e6
            #expect(try await ledger.prune(endedBefore: end, besides: ControlView(), limit: 10) == 0)
            #expect(try await ledger.statuses().map(\.delegate) == ["gone", "hook"])
            #expect(try await ledger.forget("gone") == 2)
            ledger.settle(try await ledger.owed().map(\.id))
            #expect(try await ledger.prune(endedBefore: end, besides: ControlView(), limit: 10) == 2)
            #expect(try await ledger.attempts(of: told[0].id).isEmpty)
        },
        Rule("a fence outlasts all that a worker may still hold; those of unknown and open jobs stay") { suite in
            let ledger = try await suite.make()
            let (ended, open, unknown) = (makeJob("ended"), makeJob("open"), JobID())
            try await record([event(.failed, ended), .job(open, maybeRepeated: false)], in: ledger)
            let named = [ended.id, open.id, unknown]
            // The order may be tried for as long as any destination allows, so that a worker may still hold a baton below the fence.
            let last = start + RetryPolicy.destinationAgeMaximum + LedgerJob.fenceMargin
            #expect(try await ledger.job(ended.id)?.fenceEndsAt == last)
            #expect(try await ledger.outlived(named, at: last - 1).isEmpty)
            #expect(try await ledger.outlived(named, at: last) == [ended.id])
            #expect(try await ledger.outlived(named, at: last + 1) == [ended.id])
            #expect(try await ledger.outlived([open.id], at: last + 1).isEmpty)
            #expect(try await ledger.outlived([], at: last + 1).isEmpty)
        },
        Rule("the log of tries goes by their times, page by page, and the deliveries stay") { suite in
            let ledger = try await suite.make()
            let job = makeJob("a")
            try await record([event(.completed, job)], in: ledger)
            let due = try await ledger.due(for: "hook", ordered: false, now: start, excluding: [], limit: 10)
            let delivery = try #require(due.first)
            for seconds in 0..<5 {
                let attempt = DeliveryAttempt(
                    at: start + Double(seconds), seconds: 1, status: 500, answer: "no", error: "HTTP 500")
                try await ledger.failed([delivery.id], attempt: attempt, dueAt: start + 60)
            }
            func prune(limit: Int) async throws -> Int {
                try await ledger.pruneLogs(triedBefore: start + 3, lettersBefore: nil, limit: limit)
            }
            #expect(try await ledger.attempts(of: delivery.id).count == 5)
            #expect(try await prune(limit: 2) == 2)
            #expect(try await prune(limit: 2) == 1)
            #expect(try await prune(limit: 2) == 0)
            #expect(try await ledger.attempts(of: delivery.id).map(\.at) == [start + 3, start + 4])
            let record = try #require(try await ledger.deliveries(DeliveryListing(job: job.id)).first)
            #expect(record.status == .waiting && record.attempts == 5 && record.error == "HTTP 500")
        },
        Rule("the reason why a delivery was given up goes with the log of tries") { suite in
            let ledger = try await suite.make()
            let (refused, taken) = (makeJob("refused"), makeJob("taken"))
            try await record([event(.completed, refused), event(.completed, taken)], in: ledger)
            let due = try await ledger.due(for: "hook", ordered: false, now: start, excluding: [], limit: 10)
            try #require(due.map(\.event.job.id) == [refused.id, taken.id])
            let attempt = DeliveryAttempt(at: start, seconds: 1, status: 400, answer: "no", error: "HTTP 400")
            try await ledger.failed([due[0].id], attempt: attempt, dueAt: start)
            try await ledger.delivered([due[1].id], at: start + 2)
            let again = try await ledger.due(for: "hook", ordered: false, now: start, excluding: [], limit: 10)
            let failing = try #require(again.first)
            #expect(try await !ledger.exhausted(failing, attempt: attempt))
            let listing = DeliveryListing(job: refused.id)
            let record = try await ledger.deliveries(listing).first
            #expect(record?.status == .failed && record?.error == "HTTP 400")
            #expect(try await ledger.pruneLogs(triedBefore: start + 1, lettersBefore: nil, limit: 10) == 2)
            // It was given up a second later.
            #expect(try await ledger.pruneLogs(triedBefore: start + 2, lettersBefore: nil, limit: 10) == 1)
            let pruned = try await ledger.deliveries(listing).first
            #expect(pruned?.status == .failed && pruned?.error == nil)
            #expect(try await ledger.pruneLogs(triedBefore: start + 2, lettersBefore: nil, limit: 10) == 0)
        },
        Rule("dead letters that wait go only if a time is given for them, page by page") { suite in
            let ledger = try await suite.make()
            let letters = ["{", "[", "("].map { NotifierMessage.unreadable(Data($0.utf8), reason: "no JSON") }
            try await record(letters, in: ledger)
            func prune(before time: Date?, limit: Int = 2) async throws -> Int {
                try await ledger.pruneLogs(triedBefore: start + 60, lettersBefore: time, limit: limit)
            }
            #expect(try await prune(before: nil) == 0)
            #expect(try await prune(before: start) == 0)
            #expect(try await ledger.unreadableCount(DeadLetterListing()) == 3)
            #expect(try await prune(before: start + 1) == 2)
            #expect(try await prune(before: start + 1) == 1)
            #expect(try await prune(before: start + 1) == 0)
            #expect(try await ledger.unreadableCount(DeadLetterListing()) == 0)
        },
    ]
}
