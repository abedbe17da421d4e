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
