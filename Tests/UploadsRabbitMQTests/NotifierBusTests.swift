import Foundation
import RabbitMQ
import Testing
import UploadTesting
import Uploads

@testable import UploadsRabbitMQ

@Suite(.timeLimit(.minutes(10))) struct NotifierBusTests {
    private struct Refused: Error {}

    private func markers(_ count: Int) -> [IssueMarker] {
        (0..<count).map { IssueMarker(job: JobID(), round: 1, generation: $0 + 1) }
    }

    @Test func `messages come in the order of the queue`() async throws {
        try await Rig.run { rig in
            let bus = try await rig.broker().notifierBus()
            let sent = markers(50)
            for marker in sent { try await bus.mark(marker) }
            let probe = try await rig.notifier()
            try await eventually("all have come") { probe.messages.value.count == sent.count }
            #expect(probe.messages.value == sent.map { .marker($0) })
        }
    }

    @Test func `what could not be recorded is not acknowledged and comes again`() async throws {
        try await Rig.run { rig in
            let bus = try await rig.broker().notifierBus()
            let sent = markers(3)
            for marker in sent { try await bus.mark(marker) }
            let error = await #expect(throws: UploadError.self) {
                try await bus.consume { _ in throw Refused() }
            }
            #expect(error?.cause is Refused)
            let probe = try await rig.notifier()
            try await eventually("all come again") { probe.messages.value.count == sent.count }
            #expect(probe.messages.value == sent.map { .marker($0) })
        }
    }

    @Test func `after a failure the same notifier takes again, and reads the control log`() async throws {
        try await Rig.run { rig in
            let bus = try await rig.broker().notifierBus()
            let sent = markers(3)
            for marker in sent { try await bus.mark(marker) }
            for _ in 0..<2 {
                await #expect(throws: UploadError.self) { try await bus.consume { _ in throw Refused() } }
            }
            try await bus.append(.queueStopped(.standard))
            #expect(try await bus.controlView().stoppedQueues == [.standard])
            let recorded = Box<[NotifierMessage]>([])
            let task = Task { try await bus.consume { batch in recorded.note(batch) } }
            try await eventually("all come again") { recorded.value.count == sent.count }
            #expect(recorded.value == sent.map { .marker($0) })
            await bus.drain()
            try await task.value
        }
    }

    @Test func `a batch comes while the end of the last one is awaited, and is acknowledged behind it`() async throws {
        try await Rig.run { rig in
            let bus = try await rig.broker().notifierBus()
            let sent = markers(3)
            let batches = Box<[[NotifierMessage]]>([])
            let door = Door()
            let task = Task {
                try await bus.consume { batch in
                    batches.change { $0.append(batch) }
                    return { await door.wait() }
                }
            }
            for number in 0..<2 {
                try await bus.mark(sent[number])
                try await eventually("batch \(number)") { batches.value.count == number + 1 }
            }
            try await bus.mark(sent[2])
            let queue = rig.topology.notifier(0)
            try await eventually("all are delivered, and none is acknowledged") {
                try await rig.node.ctl("list_queues", "name", "messages_unacknowledged").contains("\(queue)\t3")
            }
            #expect(batches.value == [[.marker(sent[0])], [.marker(sent[1])]])
            door.open()
            try await eventually("the third") { batches.value.last == [.marker(sent[2])] }
            await bus.drain()
            try await task.value
            let probe = try await rig.notifier()
            let later = markers(1)[0]
            try await bus.mark(later)
            try await eventually("the later one") { !probe.messages.value.isEmpty }
            #expect(probe.messages.value == [.marker(later)], "what was acknowledged does not come again")
        }
    }

    @Test func `when an end fails, its batch and what came behind it come again`() async throws {
        try await Rig.run { rig in
            let bus = try await rig.broker().notifierBus()
            let sent = markers(2)
            let taken = Box(0)
            let door = Door()
            let task = Task {
                try await bus.consume { batch in
                    taken.change { $0 += batch.count }
                    return {
                        await door.wait()
                        if batch.contains(.marker(sent[0])) { throw Refused() }
                    }
                }
            }
            for (number, marker) in sent.enumerated() {
                try await bus.mark(marker)
                try await eventually("\(number)") { taken.value == number + 1 }
            }
            door.open()
            let error = await #expect(throws: UploadError.self) { try await task.value }
            #expect(error?.cause is Refused)
            let probe = try await rig.notifier()
            try await eventually("both come again") { probe.messages.value.count == 2 }
            #expect(probe.messages.value == sent.map { .marker($0) })
        }
    }

    @Test func `what was recorded does not come again, whatever follows`() async throws {
        try await Rig.run { rig in
            let first = try await rig.broker().notifierBus()
            let sent = markers(5)
            for marker in sent { try await first.mark(marker) }
            let recorded = Box<[NotifierMessage]>([])
            let task = Task { try await first.consume { batch in recorded.note(batch) } }
            try await eventually("recorded") { recorded.value.count == 5 }
            await first.drain()
            try await task.value
            let later = IssueMarker(job: JobID(), round: 2, generation: 1)
            let probe = try await rig.notifier()
            try await probe.bus.mark(later)
            try await eventually("the later one") { !probe.messages.value.isEmpty }
            #expect(probe.messages.value == [.marker(later)])
        }
    }

    @Test func `a second notifier takes over when the first one goes`() async throws {
        try await Rig.run { rig in
            let first = try await rig.broker().notifierBus()
            let seen = Box<[NotifierMessage]>([])
            let task = Task { try await first.consume { batch in seen.note(batch) } }
            let marker = markers(1)[0]
            try await first.mark(marker)
            try await eventually("the first is active") { seen.value == [.marker(marker)] }
            let second = try await rig.notifier()
            let other = markers(1)[0]
            try await second.bus.mark(other)
            try await eventually("still the first") { seen.value == [.marker(marker), .marker(other)] }
            #expect(second.messages.value.isEmpty)
            await first.drain()
            try await task.value
            let last = markers(1)[0]
            try await second.bus.mark(last)
            try await eventually("now the second") { second.messages.value == [.marker(last)] }
        }
    }

    @Test func `an issued baton reaches its lane, and the flag makes it a suspect`() async throws {
        try await Rig.run { rig in
            let handler = TestHandler(TestHandler.completing)
            try await rig.serve(try await rig.worker(), handler)
            let probe = try await rig.notifier()
            let sure = Samples.baton(generation: 2)
            let unsure = Samples.baton(generation: 5)
            #expect(try await probe.bus.issue(sure, on: .urgent, maybeRepeated: false) == .taken)
            #expect(try await probe.bus.issue(unsure, on: .continued, maybeRepeated: true) == .taken)
            #expect(try await probe.event(.completed).job.id == sure.job.id)
            #expect(try await probe.event(.suspect).data.baton == unsure)
            #expect(handler.handled.value == [sure])
        }
    }

    @Test func `it is taking while both queues are consumed`() async throws {
        try await Rig.run { rig in
            let bus = try await rig.broker().notifierBus()
            #expect(!bus.isTaking)
            let task = Task { try await bus.consume { _ in {} } }
            try await eventually("it takes") { bus.isTaking }
            try await rig.connection.delete(Topology(queues: [Queue(name: rig.topology.dead)]))
            // It tries again after a second.
            try await eventually("the loss is seen") { !bus.isTaking }
            try await eventually("it takes again") { bus.isTaking }
            await bus.drain()
            _ = await task.result
            #expect(!bus.isTaking)
        }
    }

    @Test func `what was deleted by mistake is declared again within a minute`() async throws {
        try await Rig.run { rig in
            let passes = Box<[Signal]>([])
            let bus = RabbitMQNotifierBus(
                topology: rig.topology, consuming: try await rig.open(),
                publisher: try await Publisher(connection: try await rig.open(), logger: rig.logger),
                logger: rig.logger,
                topologyPause: { draining in
                    let passed = Signal()
                    passes.change { $0.append(passed) }
                    await passed.wait(or: draining)
                })
            let task = Task { try await bus.consume { _ in {} } }
            rig.atEnd {
                await bus.drain()
                _ = await task.result
            }
            try await eventually("it waits for its minute") { passes.value.count == 1 }
            let (ladder, level) = (rig.topology.delayLevel(0), rig.topology.delayLevel(7))
            try await rig.connection.delete(
                Topology(exchanges: [Exchange(name: level, kind: .topic)], queues: [Queue(name: ladder)]))
            #expect(await rig.isMissing(ladder))
            passes.value[0].fire()
            try await eventually("it is there again") { await !rig.isMissing(ladder) }
            try await eventually("the next minute") { passes.value.count == 2 }
            // With its bindings: a message with a delay of a second comes back.
            try await rig.channel.publish(
                try WireFormat.message(baton: Samples.baton()), to: rig.topology.ladderTop,
                routingKey: rig.topology.delayKey(seconds: 1, .standard, .normal, JobID()))
            try await eventually("it has come down") { try await rig.waiting(.normal) == 1 }
        }
    }

    @Test func `a baton for a transfer queue that is not there is answered so, and declares nothing`() async throws {
        try await Rig.run { rig in
            let queue = try QueueName("video")
            rig.atEnd { try? await rig.connection.delete(rig.topology.lanes(of: queue)) }
            let bus = try await rig.broker().notifierBus()
            let baton = Samples.baton(Samples.job(queue: queue))
            #expect(try await bus.issue(baton, on: .normal, maybeRepeated: false) == .noLane)
            #expect(Set(try await bus.depths(of: [queue, .standard]).keys) == [.standard])
            #expect(try await rig.channel.messageCount(of: rig.topology.dead) == 0)
            try await rig.connection.define(rig.topology.lanes(of: queue))
            #expect(try await bus.issue(baton, on: .normal, maybeRepeated: false) == .taken)
            #expect(try await bus.depths(of: [queue])[queue]?[.normal] == LaneDepth(messages: 1, consumers: 0))
        }
    }

    @Test func `a lane that takes no more holds up the notifier for a moment only`() async throws {
        try await Rig.run { rig in
            let policy = "full-\(rig.topology.namespace)"
            let lane = rig.topology.laneQueue(.standard, .bulk)
            let pattern = "^\(NSRegularExpression.escapedPattern(for: lane))$"
            try await rig.node.ctl("set_policy", policy, pattern, #"{"max-length":1}"#, "--apply-to", "queues")
            rig.atEnd { _ = try? await rig.node.ctl("clear_policy", policy) }
            let bus = try await rig.broker().notifierBus()
            try await eventually("the policy holds") {
                try await bus.issue(Samples.baton(generation: 2), on: .bulk, maybeRepeated: false) == .refused
            }
            #expect(try await bus.issue(Samples.baton(generation: 2), on: .normal, maybeRepeated: false) == .taken)
        }
    }

    @Test func `a job for a queue that is not there comes to the notifier twice: as a job, and as one without a lane`()
        async throws
    {
        try await Rig.run { rig in
            let probe = try await rig.notifier()
            let job = Samples.job(queue: try QueueName("nowhere"))
            let baton = Samples.baton(job, generation: 3, slice: 1)
            try await rig.channel.publish(
                try WireFormat.message(job: job), to: rig.topology.submit, routingKey: "nowhere.normal",
                isMandatory: true)
            try await rig.channel.publish(
                try WireFormat.message(baton: baton), to: rig.topology.jobs, routingKey: "nowhere.continued",
                isMandatory: true)
            try await eventually("all three") { probe.messages.value.count == 3 }
            #expect(probe.messages.value.contains(.job(job, maybeRepeated: false)))
            #expect(probe.messages.value.contains(.deadBaton(Baton(job: job), .noLane)))
            #expect(probe.messages.value.contains(.deadBaton(baton, .noLane)))
        }
    }

    @Test(arguments: [#"{"message-ttl":100}"#, #"{"max-length":1,"overflow":"drop-head"}"#])
    func `what a policy drops from a lane comes to the notifier as such`(definition: String) async throws {
        try await Rig.run { rig in
            let policy = "drop-\(rig.topology.namespace)"
            let lane = rig.topology.laneQueue(.standard, .normal)
            let pattern = "^\(NSRegularExpression.escapedPattern(for: lane))$"
            try await rig.node.ctl("set_policy", policy, pattern, definition, "--apply-to", "queues")
            rig.atEnd { _ = try? await rig.node.ctl("clear_policy", policy) }
            let probe = try await rig.notifier()
            let baton = Samples.baton()
            let cause = definition.contains("ttl") ? DeathCause.expired(queue: lane) : .overflowed(queue: lane)
            // Until the broker has applied the policy to the lane, the lane keeps everything.
            try await eventually("it is dropped") {
                try await rig.put(try WireFormat.message(baton: baton))
                return probe.messages.value.contains(.deadBaton(baton, cause))
            }
        }
    }

    @Test func `dead letters come to the notifier: batons as such, the rest with its reason`() async throws {
        try await Rig.run { rig in
            let probe = try await rig.notifier()
            let baton = Samples.baton(generation: 2)
            let message = try WireFormat.message(baton: baton)
            try await rig.channel.publish(
                WireFormat.deadLetter(message, reason: "why"), to: rig.topology.dead, routingKey: "")
            try await rig.channel.publish(Message(body: Data("?".utf8)), to: rig.topology.dead, routingKey: "")
            try await eventually("both") { probe.messages.value.count == 2 }
            #expect(probe.messages.value.contains(.deadBaton(baton, .other("why"))))
            #expect(
                probe.messages.value.contains {
                    if case .unreadable(Data("?".utf8), let reason, _) = $0 { !reason.isEmpty } else { false }
                })
        }
    }

    @Test func `a lane's delivery limit ends in a dead baton that says so`() async throws {
        try await Rig.run { rig in
            let baton = Samples.baton()
            try await rig.put(try WireFormat.message(baton: baton))
            let lane = rig.topology.laneQueue(.standard, .normal)
            for _ in 0...UploadTopology.deliveryLimit {
                try await eventually("delivered again") {
                    guard let delivery = try await rig.channel.get(lane) else { return false }
                    rig.channel.reject(delivery, requeue: true)
                    return true
                }
            }
            let probe = try await rig.notifier()
            try await eventually("dead") { !probe.messages.value.isEmpty }
            #expect(probe.messages.value == [.deadBaton(baton, .deliveryLimit)])
        }
    }

    @Test func `the control view is read up to now, and an outcome that no queue takes is no error`() async throws {
        try await Rig.run { rig in
            let job = JobID()
            let writer = try await rig.broker().notifierBus()
            try await writer.append(.fence([job: 6]))
            let bus = try await rig.broker().notifierBus()
            #expect(try await bus.controlView().fence(of: job) == 6)
            try await writer.append(.fence([job: 8]))
            #expect(try await bus.controlView().fence(of: job) == 8)
            try await bus.tell(UploadEvent(outcome: .cancelled, of: Samples.baton(), at: Date()).asOutcome)
        }
    }

    @Test func `it goes on after its connection was lost`() async throws {
        try await Rig.run { rig in
            let proxy = try FaultProxy(to: rig.node.port)
            let bus = RabbitMQNotifierBus(
                topology: rig.topology, consuming: try await rig.open(proxy),
                publisher: try await Publisher(connection: try await rig.open(proxy), logger: rig.logger),
                logger: rig.logger)
            let seen = Box<Set<UUID>>([])
            let task = Task {
                try await bus.consume { batch in
                    for case .marker(let marker) in batch { seen.change { _ = $0.insert(marker.id) } }
                    return {}
                }
            }
            rig.atEnd {
                await bus.drain()
                _ = await task.result
            }
            let before = markers(1)[0]
            let after = markers(1)[0]
            try await bus.mark(before)
            try await eventually("the first") { seen.value == [before.id] }
            proxy.cut()
            try await bus.mark(after)
            try await eventually("the second") { seen.value == [before.id, after.id] }
        }
    }
}
