import Foundation
import RabbitMQ
import Testing
import UploadTesting
import Uploads

@testable import UploadsRabbitMQ

@Suite(.timeLimit(.minutes(10))) struct ShardTests {
    private static let four = Shards(4) ?? .one
    private static let at = Date(timeIntervalSince1970: 1_795_000_000)

    private func job(ending digit: String) -> JobID { JobID().ending(in: digit) }

    @Test func `a message in the queue of another shard goes to the queue of its job`() async throws {
        try await Rig.run(shards: Self.four) { rig in
            // The single active consumer of shard 2; the notifier's own consumer stands by there.
            let second = try await rig.connection.consume(rig.topology.notifier(2), prefetch: 10)
            let probe = try await rig.notifier()
            try await eventually("the notifier takes") { probe.bus.isTaking }
            let marker = IssueMarker(job: job(ending: "e"), round: 1, generation: 1)
            var forwarded = Samples.job()
            forwarded.id = job(ending: "6")
            let order = UploadOrder(.ask([marker.job]), by: "jo", at: Self.at)
            for message in [
                try WireFormat.message(marker: marker), try WireFormat.message(job: forwarded, maybeRepeated: true),
                try WireFormat.message(order: order, replyTo: "there"),
            ] {
                try await rig.channel.publish(message, to: "", routingKey: rig.topology.notifier(1))
            }
            var arrived: [NotifierMessage] = []
            var batches = second.makeAsyncIterator()
            while arrived.count < 3, let batch = try await batches.next() {
                arrived += batch.map { NotifierMessage($0.message).withoutOrdersText }
                for delivery in batch { second.acknowledge(delivery) }
            }
            #expect(
                Set(arrived) == [
                    .marker(marker), .job(forwarded, maybeRepeated: true),
                    .order(order, replyTo: "there"),
                ])
            #expect(probe.messages.value.isEmpty)
        }
    }

    @Test func `each shard gets its part of an order, and the asker one answer`() async throws {
        try await Rig.run(shards: Self.four) { rig in
            let probe = try await rig.notifier()
            let broker = try await rig.broker()
            let jobs = ["1", "5", "3", "0"].map { job(ending: $0) }
            let order = UploadOrder(.jobs(.cancel, jobs), by: "jo@here", at: Self.at)
            let waiting = Task { try await broker.order(order, patience: .seconds(60)) }
            try await eventually("the parts have come") { probe.messages.value.count >= 3 }
            for case .order(let part, let address?) in probe.messages.value {
                guard case .jobs(.cancel, let own) = part.command else { continue }
                var answer = OrderAnswer(order: part.id)
                answer.add(own.map { OrderAnswer.Job(id: $0) })
                await probe.bus.answer(answer.sharing(part.part), to: address)
            }
            let answer = try #require(try await waiting.value)
            #expect(answer.order == order.id && answer.matched == 4 && answer.done == 4)
            #expect(answer.jobs.map(\.id) == jobs)
            #expect(probe.messages.value.count == 3)
        }
    }

    /// Also one that a program has put into the queue of one of the shards.
    @Test func `an order about jobs of several shards is divided wherever it was published`() async throws {
        try await Rig.run(shards: Self.four) { rig in
            let probe = try await rig.notifier()
            let order = UploadOrder(.move(["2", "1"].map { job(ending: $0) }, .index(0)), by: "jo", at: Self.at)
            let message = try WireFormat.message(order: order, replyTo: "there")
            try await rig.channel.publish(message, to: "", routingKey: rig.topology.notifier(3))
            try await eventually("both parts have come") { probe.messages.value.count == 2 }
            let parts = probe.messages.value.compactMap {
                if case .order(let part, "there") = $0 { part.part?.shard } else { nil }
            }
            #expect(parts.sorted() == [1, 2])
        }
    }

    @Test func `an order with a filter goes to the first shard whole, and from there to all`() async throws {
        try await Rig.run(shards: Self.four) { rig in
            let probe = try await rig.notifier()
            let order = UploadOrder(.matching(.pause, OrderFilter(batch: "b"), atMost: 9), by: "jo", at: Self.at)
            #expect(try await rig.broker().order(order, patience: nil) == nil)
            try await eventually("it has come") { probe.messages.value == [.order(order, replyTo: nil)] }
            try await probe.bus.spread(order, replyTo: nil)
            try await eventually("the parts have come") { probe.messages.value.count == 5 }
            let digits = probe.messages.value.dropFirst().compactMap { message -> String? in
                guard case .order(let part, nil) = message, case .matching(.pause, let filter, nil) = part.command
                else { return nil }
                return filter.digits
            }
            #expect(digits.sorted() == ["048c", "159d", "26ae", "37bf"])
        }
    }

    @Test func `a job of a serial line whose id has another digit is set aside, with the digit that it needs`()
        async throws
    {
        try await Rig.run(shards: Self.four) { rig in
            let probe = try await rig.notifier()
            var serial = Samples.job()
            serial.id = job(ending: "7")
            serial.serial = .end
            try await rig.channel.publish(
                try WireFormat.message(job: serial), to: "", routingKey: rig.topology.notifier(of: serial.id))
            try await eventually("it has come") { !probe.messages.value.isEmpty }
            guard case .unreadable(_, let reason, let envelope)? = probe.messages.value.first else {
                Issue.record("it was taken")
                return
            }
            #expect(reason.contains("must end in 5") && reason.contains(serial.id.rawValue))
            #expect(envelope?.messageID == serial.id.rawValue)
        }
    }

    @Test func `a program that is configured with another number of shards is refused`() async throws {
        try await Rig.run(shards: Self.four) { rig in
            for shards in [Shards.one, Shards(16) ?? .one] {
                let broker = try await UploadBroker.connect(
                    try ConnectionConfiguration(urls: [rig.node.url]), namespace: rig.topology.namespace,
                    shards: shards,
                    logger: rig.logger)
                rig.atEnd { await broker.close() }
                let error = await #expect(throws: UploadError.self) { try await broker.notifierBus() }
                #expect(error?.code == .misconfigured && error?.message.contains("number of shards") == true)
                await #expect(throws: UploadError.self) {
                    try await broker.jobQueue(JobQueueConfiguration(prefetchPerLane: 1))
                }
                for shard in shards.all.dropFirst(4) {
                    #expect(await rig.isMissing(broker.topology.notifier(shard)))
                }
                let mark = broker.topology.shardMark
                await #expect(throws: RabbitMQError.self) {
                    try await rig.connection.check(exchanges: [mark], queues: [])
                }
            }
        }
    }

    /// Routing keys do not depend on the number of shards, and a notifier gives on what is in the queue of another shard.
    @Test func `a producer need not know the number of shards`() async throws {
        try await Rig.run(shards: Self.four) { rig in
            let probe = try await rig.notifier()
            let producer = try await UploadBroker.connect(
                try ConnectionConfiguration(urls: [rig.node.url]), namespace: rig.topology.namespace, logger: rig.logger
            )
            rig.atEnd { await producer.close() }
            let video = try QueueName("video")
            rig.atEnd { [connection = rig.connection, lanes = rig.topology.lanes(of: video)] in
                try? await connection.delete(lanes)
            }
            let submitter = try await producer.submitter(for: video)
            var (job, serial) = (Samples.job(queue: video), Samples.job(queue: video))
            job.id = self.job(ending: "a")
            serial.id = serial.id.inLine(of: video)
            serial.serial = .end
            try await submitter.submit(job)
            try await submitter.submit(serial)
            try await eventually("both are recorded") { probe.messages.value.count == 2 }
            #expect(
                Set(probe.messages.value) == [
                    .job(job, maybeRepeated: false), .job(serial, maybeRepeated: false),
                ])
            let order = UploadOrder(.jobs(.pause, [job.id, serial.id]), by: "jo", at: Self.at)
            let waiting = Task { try await producer.order(order, patience: .seconds(60)) }
            try await eventually("the parts have come") { probe.messages.value.count == 4 }
            for case .order(let part, let address?) in probe.messages.value {
                await probe.bus.answer(OrderAnswer(order: part.id, matched: 1, done: 1).sharing(part.part), to: address)
            }
            #expect(try await waiting.value?.done == 2)
        }
    }
}
