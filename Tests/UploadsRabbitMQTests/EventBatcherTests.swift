import Foundation
import RabbitMQ
import Testing
import UploadTesting
import Uploads

@testable import UploadsRabbitMQ

/// Events of one address in one message, without a broker and with one.
@Suite(.timeLimit(.minutes(10))) struct EventBatcherTests {
    private static let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    private func completed(_ job: UploadJob = Samples.job()) -> UploadEvent {
        let object = StoredObject(location: "/there", size: 3)
        return UploadEvent(
            outcome: .completed(object, response: nil), of: Samples.baton(job),
            at: Date(timeIntervalSince1970: 1_795_000_001))
    }

    /// What a batcher sends, and the answers that it gets.
    private final class Line: Sendable {
        let sent = Box<[Message]>([])
        let first = Door()
        let batcher = EventBatcher()
        let answer: @Sendable (Message) -> Result<Void, RabbitMQError>

        init(_ answer: @escaping @Sendable (Message) -> Result<Void, RabbitMQError>) { self.answer = answer }

        /// Messages are answered only when `first` is open.
        func publish(_ event: UploadEvent) async throws -> Result<Void, RabbitMQError> {
            let message = try WireFormat.message(event: event)
            return await batcher.publish(message, to: EventBatcher.Address(event, "upload.events", .one)) {
                [self] message in
                sent.change { $0.append(message) }
                await first.wait()
                return answer(message)
            }
        }
    }

    /// Publishes the first event, and the others once it is on its way.
    /// - Returns: the results of all, in the order of the events.
    private func publish(_ events: [UploadEvent], on line: Line) async throws -> [Result<Void, RabbitMQError>] {
        try await withThrowingTaskGroup(of: (Int, Result<Void, RabbitMQError>).self) { group in
            for (number, event) in events.enumerated() {
                group.addTask { (number, try await line.publish(event)) }
                if number == 0 { try await eventually("the first is sent") { line.sent.value.count == 1 } }
            }
            try await eventually("all others wait") { line.batcher.waitingCount == events.count - 1 }
            line.first.open()
            var results: [Int: Result<Void, RabbitMQError>] = [:]
            for try await (number, result) in group { results[number] = result }
            return events.indices.compactMap { results[$0] }
        }
    }

    @Test func `events that become ready while another is on its way leave in one message`() async throws {
        let line = Line { _ in .success(()) }
        let events = (0..<20).map { _ in completed() }
        let results = try await publish(events, on: line)
        #expect(results.count == 20 && results.allSatisfy { (try? $0.get()) != nil })
        let messages = line.sent.value
        #expect(messages.map { WireFormat.singles(of: $0).count } == [1, 19])
        #expect(messages.map(\.contentType) == ["application/cloudevents+json", "application/cloudevents-batch+json"])
        #expect(messages.allSatisfy { $0.type == "upload.completed" && $0.isPersistent })
        let read = messages.flatMap(WireFormat.singles).map(WireFormat.read)
        #expect(Set(read) == Set(events.map { .event($0) }))
    }

    @Test func `a message that the broker refuses is divided, and only the refused event fails`() async throws {
        let bad = completed()
        let line = Line { message in
            String(decoding: message.body, as: UTF8.self).contains(bad.job.id.rawValue)
                ? .failure(RabbitMQError(.messageRefused, "too large")) : .success(())
        }
        let events = [completed(), completed(), bad, completed()]
        let results = try await publish(events, on: line)
        #expect(results.map { (try? $0.get()) != nil } == [true, true, false, true])
        #expect(line.sent.value.count == 5, "the first, the message of three, and its events one by one")
    }

    @Test func `when a message is given up, all its events are`() async throws {
        let line = Line { _ in .failure(RabbitMQError(.cancelled, "no longer held")) }
        let results = try await publish((0..<4).map { _ in completed() }, on: line)
        #expect(results.allSatisfy { (try? $0.get()) == nil })
        #expect(line.sent.value.count == 2)
    }

    @Test func `events of other destinations, queues, kinds, shards and tenures leave by themselves`() {
        let four = Shards(4) ?? .one
        let job = Samples.job()
        var other = job
        other.id = job.id.ending(in: job.id.digitText == "4" ? "5" : "4")
        func address(_ event: UploadEvent, _ shards: Shards = .one) -> EventBatcher.Address {
            EventBatcher.Address(event, "upload.events", shards)
        }
        #expect(address(completed(job)) == address(completed(other)))
        other.id = job.id.ending(in: "0")
        var third = job
        third.id = job.id.ending(in: "4")
        #expect(address(completed(other), four) == address(completed(third), four))
        third.id = job.id.ending(in: "1")
        #expect(address(completed(other), four) != address(completed(third), four))
        let elsewhere = Samples.job(destination: .named(DestinationName(unchecked: "films"), key: "a"))
        #expect(address(completed(elsewhere)) != address(completed(job)))
        #expect(address(UploadEvent(kind: .started, of: Samples.baton(job), at: Date())) != address(completed(job)))
    }

    @Test func `many jobs that end together are told in fewer messages, each once and with its trace`() async throws {
        try await Rig.run { rig in
            let listener = "\(rig.topology.namespace).listener"
            let topology = Topology(
                queues: [Queue(name: listener)],
                bindings: [
                    Binding(source: rig.topology.events, destination: .queue(listener), routingKey: "completed.#")
                ])
            try await rig.connection.define(topology)
            rig.atEnd { [connection = rig.connection] in try? await connection.delete(topology) }
            let count = 60
            let door = Door()
            let handler = TestHandler { claimed in
                await door.wait()
                return await TestHandler.completing(claimed)
            }
            try await rig.serve(try await rig.worker(prefetchPerLane: UInt16(count)), handler)
            let probe = try await rig.notifier()
            let trace = try #require(TraceParent(Self.trace))
            let jobs = (0..<count).map { _ in Samples.job() }
            for job in jobs { try await rig.put(try WireFormat.message(job: job, trace: trace)) }
            try await eventually("all are under way") { handler.handled.value.count == count }
            door.open()
            try await eventually("all are told") { probe.events.count >= count }
            #expect(probe.events.map(\.job.id.rawValue).sorted() == jobs.map(\.id.rawValue).sorted())
            #expect(probe.events.allSatisfy { $0.trace == trace })
            #expect(try await rig.channel.messageCount(of: listener) < count)
        }
    }

    @Test func `a notifier records the events of a message one by one, also one that cannot be read`() async throws {
        try await Rig.run { rig in
            let probe = try await rig.notifier()
            let events = [completed(), completed()]
            var messages = try events.map { try WireFormat.message(event: $0) }
            messages.insert(Message(body: Data(#"{"id": "no event"}"#.utf8), type: "upload.completed"), at: 1)
            try await rig.channel.publish(WireFormat.batch(messages), to: "", routingKey: rig.topology.notifier(0))
            try await eventually("all are recorded") { probe.messages.value.count == 3 }
            #expect(probe.events == events)
            guard case .unreadable(let body, let reason, let envelope?) = probe.messages.value[1] else {
                Issue.record("\(probe.messages.value[1])")
                return
            }
            #expect(body == messages[1].body)
            #expect(reason.contains("not upload.completed"))
            #expect(envelope.type == "upload.completed" && envelope.queue == rig.topology.notifier(0))
            #expect(try await rig.channel.messageCount(of: rig.topology.notifier(0)) == 0)
        }
    }

    @Test func `the events of a message that died in a notifier's queue are recorded`() async throws {
        try await Rig.run { rig in
            let probe = try await rig.notifier()
            let events = [completed(), completed()]
            var batch = WireFormat.batch(try events.map { try WireFormat.message(event: $0) })
            batch.headers["x-death"] = .array([
                .table(["queue": .string(rig.topology.notifier(0)), "reason": "delivery_limit"])
            ])
            try await rig.channel.publish(batch, to: "", routingKey: rig.topology.dead)
            try await eventually("both are recorded") { probe.events == events }
        }
    }

    @Test func `events of another shard in a message go to their shard`() async throws {
        try await Rig.run(shards: Shards(4) ?? .one) { rig in
            let probe = try await rig.notifier()
            let events = ["0", "1", "2", "7"].map { digit in
                var job = Samples.job()
                job.id = job.id.ending(in: digit)
                return completed(job)
            }
            let batch = WireFormat.batch(try events.map { try WireFormat.message(event: $0) })
            try await rig.channel.publish(batch, to: "", routingKey: rig.topology.notifier(0))
            try await eventually("all are recorded") { probe.events.count == events.count }
            #expect(Set(probe.events) == Set(events))
        }
    }

    /// More than the watch's consumer may hold unacknowledged.
    @Test func `a watch hears all events of many messages`() async throws {
        try await Rig.run { rig in
            let broker = try await rig.broker()
            let watch = try await broker.watch(.standard)
            rig.atEnd { await watch.close() }
            let perMessage = 3
            var expected: Set<JobID> = []
            for _ in 0..<150 {
                let events = (0..<perMessage).map { _ in completed() }
                expected.formUnion(events.map(\.job.id))
                try await rig.channel.publish(
                    WireFormat.batch(try events.map { try WireFormat.message(event: $0.asOutcome) }),
                    to: rig.topology.outcomes, routingKey: events[0].routingKey)
            }
            var heard: Set<JobID> = []
            var events = watch.makeAsyncIterator()
            while heard.count < expected.count, let event = try await events.next() { heard.insert(event.job.id) }
            #expect(heard == expected)
        }
    }

    @Test func `outcomes that are told side by side leave together, also when no queue is bound`() async throws {
        try await Rig.run { rig in
            let broker = try await rig.broker()
            let bus = try await broker.notifierBus()
            let events = (0..<40).map { _ in completed().asOutcome }
            func tellAll() async throws {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for event in events { group.addTask { try await bus.tell(event) } }
                    try await group.waitForAll()
                }
            }
            try await tellAll()
            let watch = try await broker.watch(.standard)
            rig.atEnd { await watch.close() }
            try await tellAll()
            var heard: Set<UploadEvent> = []
            var read = watch.makeAsyncIterator()
            while heard.count < events.count, let event = try await read.next() { heard.insert(event) }
            #expect(heard == Set(events))
        }
    }
}
