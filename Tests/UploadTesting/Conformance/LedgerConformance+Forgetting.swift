import Foundation
import Testing
import Uploads

extension LedgerConformance {
    static let forgetting = [
        Rule("a forgotten job is found by no name, counts as before, and what comes late of it comes to nothing") {
            suite in
            let ledger = try await suite.make()
            let job = named("anna")
            try await end(job, in: ledger)
            let counts = try await ledger.counts()
            #expect(try await forget([job.id], in: ledger).map(\.done) == [true])
            let known = try #require(try await ledger.job(job.id))
            #expect(known.forgottenAt == start && known.status == .completed && known.round == 1)
            #expect(try await found("anna", in: ledger).isEmpty)
            #expect(try await ledger.counts() == counts)
            #expect(try await ledger.jobs(LedgerFilter()).jobs.map(\.id) == [job.id])
            let late: [NotifierMessage] = [
                .job(job, maybeRepeated: true), event(.suspect, job, slice: 1), event(.failed, job, slice: 2),
                .deadBaton(Baton(job: job), .deliveryLimit),
            ]
            for message in late {
                for owed in try await record([message], in: ledger) {
                    guard case .outcome(let event) = owed.action else {
                        Issue.record("\(owed.action) is owed because of \(message)")
                        continue
                    }
                    // The job that reuses the key waits for this event.
                    #expect(event.id == "\(job.id).1.ended" && event.job.destination != job.destination)
                }
            }
            #expect(try await ledger.job(job.id) == known)
            #expect(try await ledger.events(of: job.id).map(\.kind) == [.completed])
            #expect(try await found("anna", in: ledger).isEmpty)
        },
        Rule("a job is forgotten when it has ended and each delegate was told, and not before") { suite in
            let ledger = try await suite.make()
            let (open, untold, told) = (named("open"), named("untold", after: 1), named("told", after: 2))
            try await record([.job(open, maybeRepeated: false)], in: ledger)
            let owed = try await record([event(.completed, untold)], in: ledger)
            try await end(told, in: ledger)
            let stranger = JobID()
            let all = [open.id, untold.id, told.id, stranger]
            let answers = try await forget(all, in: ledger)
            #expect(answers.map(\.done) == [false, false, true, false])
            #expect(answers[0].reason?.contains("has not ended") == true)
            #expect(answers[1].reason?.contains("delegate 'hook' has not received") == true)
            #expect(answers[3].reason?.contains("knows no job") == true)
            let due = try await ledger.due(for: "hook", ordered: false, now: start, excluding: [], limit: 10)
            try await ledger.delivered(due.map(\.id), at: start, attempt: nil)
            #expect(try await forget([untold.id], in: ledger).first?.reason?.contains("not confirmed") == true)
            ledger.settle(owed.map(\.id))
            #expect(try await forget([untold.id], in: ledger).map(\.done) == [true])
        },
        Rule("by age the names of jobs go that ended before, page by page, and only once") { suite in
            let ledger = try await suite.make()
            let jobs = (0..<5).map { named("job\($0)", after: Double($0)) }
            for (index, job) in jobs.enumerated() { try await end(job, at: Double(index), in: ledger) }
            var counts: [Int] = []
            var last: JobID?
            repeat {
                let page = try await ledger.forget(endedBefore: start + 3, after: last, at: start + 9, limit: 2)
                counts.append(page.count)
                last = page.next
            } while last != nil
            #expect(counts == [2, 1])
            #expect(try await ledger.forget(endedBefore: start + 3, after: nil, at: start + 9, limit: 9).count == 0)
            let known = try await ledger.jobs(LedgerFilter(order: .oldestFirst)).jobs
            #expect(known.map { $0.forgottenAt != nil } == [true, true, true, false, false])
        },
        Rule("an order to forget goes by batch and by the time of the end, and is found after a crash until it is done")
        { suite in
            let ledger = try await suite.make()
            let (old, new, other) = (named("old"), named("new", after: 1), named("other", after: 2))
            for (job, seconds) in [(old, 0.0), (new, 60), (other, 0)] {
                var job = job
                job.batch = job.id == other.id ? "home" : "trip"
                try await end(job, at: seconds, in: ledger)
            }
            let filter = OrderFilter(batch: "trip", endedUntil: start + 30)
            let order = UploadOrder(.matching(.forget, filter, atMost: 1), by: "jo", at: start)
            try await ledger.accept(order)
            try await ledger.accept(order)
            #expect(try await ledger.acceptedForgetting() == [order])
            let answer = try await carryOutSilently(order, in: ledger)
            #expect(answer.jobs == [OrderAnswer.Job(id: old.id)])
            #expect(try await ledger.acceptedForgetting().isEmpty)
            #expect(try await carryOutSilently(order, in: ledger) == answer, "the same order again is the same answer")
        },
        Rule("a forgotten job is not delivered once more, and others are") { suite in
            let ledger = try await suite.make()
            let (gone, other) = (named("anna"), named("bert", after: 1))
            for job in [gone, other] { try await end(job, in: ledger) }
            #expect(try await forget([gone.id], in: ledger).map(\.done) == [true])
            let later = start + 60
            #expect(try await ledger.replay(.range(delegate: "hook", from: start, to: later), at: start) == 1)
            let due = try await ledger.due(for: "hook", ordered: false, now: later, excluding: [], limit: 10)
            #expect(due.map(\.event.job.id) == [other.id])
            let late = DeliveryRoute(delegate: "late")
            #expect(try await ledger.deliverPast(late, from: start, to: later, at: later) == 1)
            let past = try await ledger.due(for: "late", ordered: false, now: later, excluding: [], limit: 10)
            #expect(past.map(\.event.job.id) == [other.id])
        },
        Rule("an event's number is not given again when its job is forgotten") { suite in
            let ledger = try await suite.make()
            let job = named("anna")
            try await end(job, in: ledger)
            #expect(try await record([event(.suspect, job)], in: ledger).isEmpty)
            let seen = try await ledger.lastSequence()
            #expect(try await forget([job.id], in: ledger).map(\.done) == [true])
            #expect(try await ledger.lastSequence() == seen)
            let left = try await ledger.events(of: job.id)
            #expect(left.map(\.kind) == (suite.traits.keepsNewestEvent ? [.completed, .suspect] : [.completed]))
            #expect(left.allSatisfy { $0.job.metadata.isEmpty && $0.job.batch == nil })
            try await record([event(.started, named("bert", after: 1))], in: ledger)
            let page = try await ledger.events(after: seen, EventFilter(), limit: 10)
            #expect(page.events.map(\.event.kind) == [.started] && page.events.allSatisfy { $0.sequence > seen })
        },
        Rule("of a failure its code stays, of a delivery its tries, and no words of either, nor letters about the job")
        {
            suite in
            let ledger = try await suite.make()
            let (gone, other) = (named("anna"), named("bert", after: 1))
            for (job, name) in [(gone, "anna"), (other, "bert")] { try await fail(job, name, in: ledger) }
            #expect(try await ledger.unreadableCount(DeadLetterListing()) == 4)
            #expect(try await forget([gone.id], in: ledger).map(\.done) == [true])
            let known = try #require(try await ledger.job(gone.id))
            #expect(known.status == .failed && known.end?.error?.code == .rejected)
            #expect(known.end?.error?.message == "")
            #expect(known.baton.failures.map(\.message) == [""] && known.baton.failures.map(\.attempt) == [1])
            #expect(known.baton.job.metadata.isEmpty && known.baton.job.destination.label == "photos")
            let words: [(UploadJob, String?)] = [(gone, nil), (other, "bert")]
            for (job, words) in words {
                let found = try await ledger.deliveries(DeliveryListing(job: job.id))
                #expect(found.map(\.status) == [.delivered] && found.map(\.attempts) == [1])
                let tries = try await ledger.attempts(of: try #require(found.first).id)
                #expect(tries.map(\.status) == [500, 200])
                #expect(tries.map(\.answer) == [words, words] && tries.map(\.error) == [words, nil])
            }
            let letters = try await ledger.unreadable(DeadLetterListing())
            #expect(
                letters.count == 2 && letters.allSatisfy { String(decoding: $0.body, as: UTF8.self).contains("bert") })
            #expect(try await found("anna", in: ledger).isEmpty)
            #expect(Set(try await found("bert", in: ledger)) == [other.id])
            #expect(try await ledger.job(other.id)?.end?.error?.message == "refused bert")
            try await ledger.scrub(rewriting: true)
            #expect(try await ledger.job(gone.id) == known)
            #expect(try await ledger.counts() == [.failed: 2])
            #expect(try await ledger.prune(endedBefore: start + 1, besides: ControlView(), limit: 10) == 2)
        },
    ]

    /// Lets a job fail, with a delivery that succeeds after a failed try, and with two dead letters about the job.
    private static func fail(_ job: UploadJob, _ name: String, in ledger: any Ports) async throws {
        var baton = Baton(job: job)
        baton.slice = 1
        let error = UploadError(.rejected, "refused \(name)", retry: .never)
        baton.failures = [FailureRecord(at: start, attempt: 1, error: error)]
        let failed = UploadEvent(outcome: .failed(error, state: nil), of: baton, at: start)
        let envelope = MessageEnvelope(type: "upload.job.v1", messageID: job.id.rawValue)
        let owed = try await record(
            [
                .job(job, maybeRepeated: false), .event(failed),
                .unreadable(Data("{ \(name)".utf8), reason: "no JSON", envelope: envelope),
                .unreadable(Data("\(name) \(job.id.rawValue.uppercased())".utf8), reason: "none"),
            ], in: ledger)
        ledger.settle(owed.map(\.id))
        let due = try await ledger.due(for: "hook", ordered: false, now: start, excluding: [], limit: 100)
        let refused = DeliveryAttempt(at: start, seconds: 1, status: 500, answer: name, error: name)
        try await ledger.failed(due.map(\.id), attempt: refused, dueAt: start)
        let taken = DeliveryAttempt(at: start, seconds: 1, status: 200, answer: name, error: nil)
        try await ledger.delivered(due.map(\.id), at: start, attempt: taken)
    }

    /// A job that has the name in every field that a search covers.
    private static func named(_ name: String, after seconds: Double = 0) -> UploadJob {
        var job = makeJob(name, after: seconds)
        job.source = .staged(area: "area", name: "019a7d3e")
        job.metadata = ["owner": name]
        job.batch = name
        job.idempotencyKey = name
        return job
    }

    /// Records the end of a job, and that its outcome was published.
    private static func end(_ job: UploadJob, at seconds: Double = 0, in ledger: any Ports) async throws {
        let owed = try await record(
            [.job(job, maybeRepeated: false), event(.started, job), event(.completed, job, after: seconds)], in: ledger)
        ledger.settle(owed.map(\.id))
        let due = try await ledger.due(for: "hook", ordered: false, now: start, excluding: [], limit: 100)
            .filter { $0.event.job.id == job.id }
        try await ledger.delivered(due.map(\.id), at: start, attempt: nil)
    }

    private static func carryOutSilently(_ order: UploadOrder, in ledger: any Ports) async throws -> OrderAnswer {
        while true {
            let step = try await ledger.carryOut(order, view: ControlView(), routes: [], now: start)
            #expect(step.owed.isEmpty)
            if let answer = step.answer { return answer }
        }
    }

    static func forget(_ jobs: [JobID], in ledger: any Ports) async throws -> [OrderAnswer.Job] {
        try await carryOutSilently(UploadOrder(.jobs(.forget, jobs), by: "jo", at: start), in: ledger).jobs
    }

    /// The jobs that searches by text, batch and key find.
    private static func found(_ name: String, in ledger: any Ports) async throws -> [JobID] {
        var filters = [LedgerFilter(), LedgerFilter(), LedgerFilter()]
        filters[0].text = name
        filters[1].batch = name
        filters[2].idempotencyKey = name
        var found: [JobID] = []
        for filter in filters { found += try await ledger.jobs(filter).jobs.map(\.id) }
        return found
    }
}
