import Foundation
import RabbitMQ
import Testing
import UploadTesting
import Uploads

@testable import UploadsRabbitMQ

@Suite(.timeLimit(.minutes(10))) struct OrderTests {
    static let at = Date(timeIntervalSince1970: 1_795_000_000)

    static let commands: [UploadOrder.Command] = [
        .jobs(.cancel, [JobID()]), .jobs(.runAgain, [JobID(), JobID()]),
        .matching(.pause, OrderFilter(), atMost: nil),
        .matching(
            .resume,
            OrderFilter(queue: .standard, destination: "photos", batch: "holiday", statuses: [.paused, .waiting]),
            atMost: 3),
        .matching(.runAgain, FuzzSamples.filter, atMost: 3),
        .move([JobID(), JobID()], .index(0)), .move([JobID()], .index(7)),
        .move([JobID()], .before(JobID())), .move([JobID(), JobID()], .after(JobID())),
        .stopQueues([.standard]), .startQueues([.standard, QueueName(unchecked: "video")]),
        .drainWorkers(["host/1-a"]), .resumeWorkers(["host/1-a", "host/2-b"]),
        .sweepDestination(DestinationName(unchecked: "photos"), olderThan: nil, dryRun: true),
        .sweepDestination(DestinationName(unchecked: "photos"), olderThan: 3600, dryRun: false),
        .sweepStaging(dryRun: false), .ask([JobID(), JobID()]),
    ]

    @Test(arguments: commands) func `an order survives the wire`(command: UploadOrder.Command) throws {
        let order = UploadOrder(command, by: "jo@here", at: Self.at)
        let message = try WireFormat.message(order: order, replyTo: "there")
        // A question has no use once the program that asked is gone.
        let isQuestion = if case .ask = command { true } else { false }
        #expect(message.type == "upload.order.v1" && message.isPersistent != isQuestion)
        #expect(message.expiration == (isQuestion ? "60000" : nil))
        #expect(message.messageID == order.id.uuidString.lowercased() && message.correlationID == message.messageID)
        #expect(WireFormat.read(message) == .order(order))
        #expect(NotifierMessage(message) == .order(order, replyTo: "there"))
    }

    @Test(arguments: [
        #"{"verb": "cancel", "at": "2026-11-21T08:00:00Z", "jobs": ["019a7d3e-0b6c-7c11-9a53-2f4f5c1b7a90"]}"#,
        #"{"id": "7b0e5bd2-7a86-4f3b-8a6c-7ad1a5a7f001", "verb": "cancel", "at": "2026-11-21T08:00:00Z"}"#,
        #"{"id": "7b0e5bd2-7a86-4f3b-8a6c-7ad1a5a7f001", "verb": "cancel", "at": "2026-11-21T08:00:00Z", "jobs": []}"#,
        #"{"id": "7b0e5bd2-7a86-4f3b-8a6c-7ad1a5a7f001", "verb": "fly", "at": "2026-11-21T08:00:00Z", "filter": {}}"#,
        #"{"id": "7b0e5bd2-7a86-4f3b-8a6c-7ad1a5a7f001", "verb": "ask", "at": "2026-11-21T08:00:00Z", "jobs": []}"#,
        #"""
        {"id": "7b0e5bd2-7a86-4f3b-8a6c-7ad1a5a7f001", "verb": "cancel", "at": "2026-11-21T08:00:00Z",
        "filter": {"error": "denied"}}
        """#,
        #"""
        {"id": "7b0e5bd2-7a86-4f3b-8a6c-7ad1a5a7f001", "verb": "cancel", "at": "2026-11-21T08:00:00Z",
        "filter": {"text": "ab"}}
        """#,
        #"{"id": "7b0e5bd2-7a86-4f3b-8a6c-7ad1a5a7f001", "verb": "ask", "at": "2026-11-21T08:00:00Z", "filter": {}}"#,
        #"{"id": "7b0e5bd2-7a86-4f3b-8a6c-7ad1a5a7f001", "verb": "stopQueue", "at": "2026-11-21T08:00:00Z"}"#,
        #"{"id": "7b0e5bd2-7a86-4f3b-8a6c-7ad1a5a7f001", "verb": "drainWorker", "at": "2026-11-21T08:00:00Z"}"#,
        #"""
        {"id": "7b0e5bd2-7a86-4f3b-8a6c-7ad1a5a7f001", "verb": "resumeWorker", "at": "2026-11-21T08:00:00Z", "workers": [""]}
        """#,
        #"{"id": "7b0e5bd2-7a86-4f3b-8a6c-7ad1a5a7f001", "verb": "sweepDestination", "at": "2026-11-21T08:00:00Z"}"#,
        #"""
        {"id": "7b0e5bd2-7a86-4f3b-8a6c-7ad1a5a7f001", "verb": "sweepDestination", "at": "2026-11-21T08:00:00Z",
        "destination": "photos", "olderThan": 60}
        """#,
    ])
    func `what is no order is kept as unreadable`(json: String) {
        let message = Message(body: Data(json.utf8), contentType: "application/json", type: "upload.order.v1")
        guard case .unreadable(_, let reason, _) = NotifierMessage(message) else {
            Issue.record("it was read")
            return
        }
        #expect(reason.contains("upload.order.v1"))
    }

    @Test func `a sweep that does not say so removes nothing`() {
        let json =
            #"{"id": "7b0e5bd2-7a86-4f3b-8a6c-7ad1a5a7f001", "verb": "sweepStaging", "at": "2026-11-21T08:00:00Z"}"#
        let message = Message(body: Data(json.utf8), contentType: "application/json", type: "upload.order.v1")
        guard case .order(let order, _) = NotifierMessage(message) else {
            Issue.record("it was not read")
            return
        }
        #expect(order.command == .sweepStaging(dryRun: true))
    }

    @Test func `an order that no notifier reads is kept, and the next notifier reads it`() async throws {
        try await Rig.run { rig in
            let broker = try await rig.broker()
            let order = UploadOrder(.jobs(.cancel, [JobID()]), by: "jo@here", at: Self.at)
            #expect(try await broker.order(order, patience: .seconds(15)) == nil)
            let other = UploadOrder(.stopQueues([.standard]), by: "jo@here", at: Self.at)
            #expect(try await broker.order(other, patience: nil) == nil)
            let probe = try await rig.notifier()
            try await eventually("both have come") { probe.messages.value.count == 2 }
            let orders = probe.messages.value.compactMap { message in
                if case .order(let order, _) = message { order } else { nil as UploadOrder? }
            }
            #expect(orders == [order, other])
        }
    }

    @Test func `the notifier's answer reaches the program that waits for it`() async throws {
        try await Rig.run { rig in
            let probe = try await rig.notifier()
            let broker = try await rig.broker()
            let order = UploadOrder(.jobs(.cancel, [JobID()]), by: "jo@here", at: Self.at)
            let waiting = Task { try await broker.order(order, patience: .seconds(60)) }
            try await eventually("the order has come") { !probe.messages.value.isEmpty }
            guard case .order(_, let address?)? = probe.messages.value.first else {
                Issue.record("no address")
                return
            }
            await probe.bus.answer(OrderAnswer(order: UUID(), matched: 7), to: address)
            let answer = OrderAnswer(order: order.id, matched: 1, done: 1)
            await probe.bus.answer(answer, to: address)
            #expect(try await waiting.value == answer, "an answer to another order is not it")
            // The asker has stopped listening; the answer is dropped.
            await probe.bus.answer(answer, to: address)
        }
    }

    @Test func `an answer goes nowhere but to those who wait for answers`() async throws {
        try await Rig.run { rig in
            let probe = try await rig.notifier()
            let lane = rig.topology.laneQueue(.standard, .normal)
            await probe.bus.answer(OrderAnswer(order: UUID()), to: lane)
            // Messages of one channel keep their order: a later post has overtaken nothing.
            let queue = rig.topology.answerQueue(UUID())
            try await rig.connection.define(Topology(queues: [queue]))
            let answer = OrderAnswer(order: UUID(), matched: 2)
            await probe.bus.answer(answer, to: queue.name)
            #expect(WireFormat.read(try await rig.next(queue.name).message) == .answer(answer))
            #expect(try await rig.waiting(.normal) == 0)
        }
    }

    @Test func `a worker hears that the queue of its job is stopped, and the job waits for the start`() async throws {
        try await Rig.run { rig in
            let reports = Box<[JobID: BatonValidity]>([:])
            let handler = TestHandler { claimed in
                // The second time it only completes.
                guard reports.value.isEmpty else { return await TestHandler.completing(claimed) }
                let report = await claimed.loss()
                reports.change { $0[claimed.baton.job.id] = report }
                return .handOver(nil)
            }
            try await rig.serve(try await rig.worker(), handler)
            let baton = Samples.baton()
            try await rig.put(try WireFormat.message(baton: baton))
            try await eventually("it is held") { handler.handled.value.count == 1 }
            let bus = try await rig.broker().notifierBus()
            try await bus.append(.queueStopped(.standard))
            try await eventually("it is told") { reports.value[baton.job.id] == .stopped }
            // Handed over unstarted because of the stop: ahead of its peers.
            try await eventually("it waits ahead of its peers") { try await rig.waiting(.continued) == 1 }
            try await bus.append(.queueStarted(.standard))
            try await eventually("it is taken up again") { handler.handled.value.count == 2 }
            #expect(handler.handled.value.last?.job.id == baton.job.id)
        }
    }
}
