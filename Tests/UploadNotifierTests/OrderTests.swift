import Foundation
import Logging
import Testing
import UploadTesting
import Uploads

@testable import UploadNotifier

@Suite("Orders", .timeLimit(.minutes(10)))
struct OrderTests {
    private func run(
        _ bus: MemoryNotifierBus, _ path: String, clock: NotifierClock = .system,
        while body: (Ledger) async throws -> Void
    ) async throws {
        let ledger = try Ledger.open(path: path)
        let service = NotifierService(
            bus: bus, ledger: ledger, delegates: [],
            configuration: NotifierConfiguration(retryDelayMaximum: .milliseconds(10)), clock: clock, logger: quiet)
        try await service.run { try await body(ledger) }
        try ledger.close()
    }

    private func order(_ command: UploadOrder.Command) -> UploadOrder {
        UploadOrder(command, by: "jo@here", at: Sample.start)
    }

    private func jobs(_ count: Int) -> [UploadJob] { (0..<count).map { Sample.job(key: "\($0)") } }

    private func messages(_ jobs: [UploadJob]) -> [NotifierMessage] { jobs.map { .job($0, maybeRepeated: false) } }

    private func record(_ messages: [NotifierMessage], in ledger: Ledger) async throws {
        _ = try await ledger.record(messages, view: ControlView(), routes: [], now: Sample.start)
    }

    /// Carries an order out to its end.
    /// - Returns: the answer, and the publications of all steps.
    private func carryOut(_ order: UploadOrder, in ledger: Ledger) async throws -> (OrderAnswer, [OwedAction]) {
        var owed: [OwedAction] = []
        while true {
            let step = try await ledger.carryOut(order, view: ControlView(), routes: [], now: Sample.start)
            owed += step.owed
            if let answer = step.answer { return (answer, owed) }
        }
    }

    @Test func `an order behind its job is obeyed and answered`() async throws {
        let scratch = try Scratch()
        let bus = MemoryNotifierBus()
        let job = Sample.job()
        let order = order(.jobs(.cancel, [job.id]))
        bus.send(.job(job, maybeRepeated: false), .order(order, replyTo: "here"))
        try await run(bus, scratch.file()) { _ in try await until { bus.acknowledged == 3 } }
        #expect(bus.issued.map(\.isCancel) == [true])
        #expect(bus.answers["here"]?.map(\.done) == [1])
        #expect(bus.answers["here"]?.first?.jobs == [OrderAnswer.Job(id: job.id)])
    }

    @Test func `a repeated order changes nothing and has the same answer`() async throws {
        let scratch = try Scratch()
        let bus = MemoryNotifierBus()
        let job = Sample.job()
        let order = order(.jobs(.pause, [job.id, JobID()]))
        bus.send(
            .job(job, maybeRepeated: false), .order(order, replyTo: "here"),
            .order(self.order(.jobs(.resume, [job.id])), replyTo: nil), .order(order, replyTo: "here"))
        try await run(bus, scratch.file()) { _ in try await until { bus.acknowledged == 5 } }
        let answers = try #require(bus.answers["here"])
        #expect(answers.count == 2)
        #expect(Set(answers).count == 1)
        #expect(answers.first?.matched == 2)
        #expect(answers.first?.jobs.last?.reason?.contains("knows no job") == true)
        let pauses = bus.publications.filter { if case .append(.pause) = $0 { true } else { false } }
        #expect(pauses.count == 1, "the repeat must not undo the resume")
    }

    /// The publications fail one after the other, before or after they took effect, and another process goes on.
    @Test(arguments: 1...3, MemoryNotifierBus.Fault.allCases)
    func `a crash at any publication of an order neither loses nor doubles it`(
        attempt: Int, fault: MemoryNotifierBus.Fault
    ) async throws {
        let scratch = try Scratch()
        let job = Sample.job()
        let first = MemoryNotifierBus(batchCountMaximum: 1)
        first.fail(attempt: attempt, fault)
        first.send(
            .job(job, maybeRepeated: false), .order(order(.jobs(.cancel, [job.id])), replyTo: nil),
            .order(order(.stopQueues([.standard])), replyTo: nil))
        // The clock stands still, so that the first process never tries again by itself.
        try await run(first, scratch.file(), clock: ManualClock().clock) { _ in
            try await until { first.attempts == attempt }
        }
        let second = first.reconnected()
        try await run(second, scratch.file()) { ledger in
            try await until { second.waiting == 0 }
            try await until { try await ledger.owed().isEmpty }
            #expect(try await ledger.job(job.id)?.generation == 2)
        }
        #expect(Set(second.issued.map(\.generation)) == [2])
        #expect(try await second.controlView().stoppedQueues == [.standard])
    }

    @Test func `a pause of many jobs is one entry`() async throws {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        let jobs = jobs(20)
        try await record(messages(jobs), in: ledger)
        let (answer, owed) = try await carryOut(order(.matching(.pause, OrderFilter(), atMost: nil)), in: ledger)
        #expect(answer.done == 20)
        #expect(
            owed.map(\.action)
                == [.append(.pause(Dictionary(uniqueKeysWithValues: jobs.map { ($0.id, 1) })))])
        #expect(try await ledger.owed() == owed, "it is repeated after a crash")
        ledger.settle(owed.map(\.id))
        #expect(try await ledger.owed().isEmpty)
    }

    @Test func `an order about more jobs than a page takes several transactions and forgets none`() async throws {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        let jobs = jobs(OrderRun.pageMaximum * 2 + 1)
        try await record(messages(jobs), in: ledger)
        let order = order(.matching(.cancel, OrderFilter(queue: .standard), atMost: nil))
        let first = try await ledger.carryOut(order, view: ControlView(), routes: [], now: Sample.start)
        #expect(first.answer == nil && first.owed.count == OrderRun.pageMaximum)
        let (answer, owed) = try await carryOut(order, in: ledger)
        #expect(answer.matched == jobs.count && answer.done == jobs.count)
        #expect(answer.jobs.count == OrderAnswer.jobsMaximum)
        #expect(Set((first.owed + owed).map(\.job)) == Set(jobs.map(\.id)))
    }

    @Test func `more matches than allowed are counted and left alone`() async throws {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        try await record(messages(jobs(3)), in: ledger)
        let (answer, owed) = try await carryOut(order(.matching(.cancel, OrderFilter(), atMost: 2)), in: ledger)
        #expect(answer == OrderAnswer(order: answer.order, matched: 3, problem: .tooMany))
        #expect(owed.isEmpty)
        let (allowed, _) = try await carryOut(order(.matching(.cancel, OrderFilter(), atMost: 3)), in: ledger)
        #expect(allowed.done == 3)
    }

    @Test func `a filter means jobs that can obey, by queue, destination, batch and status`() async throws {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        var named = Sample.job(key: "named")
        named.batch = "holiday"
        var elsewhere = Sample.job(key: "elsewhere")
        elsewhere.queue = try QueueName("video")
        let ended = Sample.job(key: "ended")
        try await record(messages([named, elsewhere, ended]) + [Sample.event(.failed, ended)], in: ledger)
        func matched(_ verb: Verb, _ filter: OrderFilter) async throws -> [JobID] {
            try await carryOut(order(.matching(verb, filter, atMost: nil)), in: ledger).0.jobs.map(\.id)
        }
        #expect(try await matched(.pause, OrderFilter(batch: "holiday")) == [named.id])
        #expect(try await matched(.resume, OrderFilter()) == [named.id], "only what is paused")
        #expect(try await matched(.pause, OrderFilter(queue: elsewhere.queue)) == [elsewhere.id])
        #expect(try await matched(.runAgain, OrderFilter()) == [ended.id])
        #expect(try await matched(.cancel, OrderFilter(statuses: [.completed])).isEmpty)
        #expect(try await matched(.cancel, OrderFilter(destination: "nowhere")).isEmpty)
        #expect(Set(try await matched(.cancel, OrderFilter(destination: named.destination.label))).count >= 2)
    }

    @Test func `a stopped queue is in the snapshots until it is started`() async throws {
        let scratch = try Scratch()
        let bus = MemoryNotifierBus()
        let video = try QueueName("video")
        bus.send(
            .order(order(.stopQueues([.standard, video])), replyTo: "here"),
            .order(order(.startQueues([video])), replyTo: nil))
        try await run(bus, scratch.file()) { _ in
            try await until { bus.acknowledged == 2 }
            #expect(try await bus.controlView().stoppedQueues == [.standard])
        }
        #expect(bus.answers["here"]?.first?.done == 2)
    }
}
