import Logging
import RabbitMQ
import Synchronization
public import Uploads

/// Reads the queues of the notifier's shards, and hands over batches.
extension RabbitMQNotifierBus {
    public func consume(
        _ read: Set<Int>, until change: @escaping @Sendable () async -> Void,
        _ handle: @Sendable ([NotifierMessage]) async throws -> BatchEnd
    ) async throws(UploadError) {
        try await startLog()
        // After a failure, `consume` is called again: only a drain is for good.
        let ending = Signal()
        let drained = draining.onFire { ending.fire() }
        defer { draining.remove(drained) }
        let keeper = TopologyKeeper(
            objects: topology.shared, connection: consuming, pause: topologyPause, logger: logger)
        let isFirst = read.contains(0)
        let changing = Task {
            await change()
            if !Task.isCancelled { ending.fire() }
        }
        // What exists once for the namespace belongs to the first shard.
        let keeping =
            [changing] + (isFirst ? [Task { await self.keepSnapshots(until: ending) }] : [])
            + [Task { await keeper.run(until: ending) }]
        let feed = NotifierFeed()
        taking.withLock { $0.wanted = read.count + (isFirst ? 1 : 0) }
        defer { taking.withLock { $0.wanted = 0 } }
        let prefetch = max(Self.prefetch / UInt16(read.count), 1)
        var readers = read.sorted().map { shard in
            Task { [topology] in
                let queue = topology.notifier(shard)
                return await self.read(queue, prefetch, until: ending, into: feed) {
                    NotifierArrival(NotifierMessage($0, from: queue), in: shard, from: $0.exchange, topology)
                }
            }
        }
        if isFirst {
            readers.append(
                Task { [topology] in
                    await self.read(topology.dead, Self.deadPrefetch, until: ending, into: feed) {
                        NotifierArrival(dead: $0, topology, read: read)
                    }
                })
        }
        ending.onFire { feed.finish() }
        var failure = await pass(on: feed, to: handle, until: ending)
        ending.fire()
        for task in keeping { task.cancel() }
        for reader in readers {
            if let problem = await reader.value { failure = failure ?? problem }
        }
        for task in keeping { await task.value }
        if draining.isFired || Task.isCancelled { await log.stop() }
        if let failure { throw failure }
    }

    /// Handles batches until the feed ends or a step fails. Messages that arrive while one batch is being recorded form
    /// the next batch, so that one commit serves many.
    private func pass(
        on feed: NotifierFeed, to handle: @Sendable ([NotifierMessage]) async throws -> BatchEnd, until ending: Signal
    ) async -> UploadError? {
        await withTaskGroup(of: UploadError?.self) { group in
            var failure: UploadError?
            while failure == nil, let batches = await feed.next() {
                if ending.isFired || Task.isCancelled { break }
                do {
                    let end = try await handle(batches.flatMap(\.messages))
                    // Of the batch before.
                    failure = await group.next() ?? nil
                    guard failure == nil else { break }
                    group.addTask {
                        do {
                            try await end()
                        } catch {
                            // Perhaps no more message comes that would make the failure visible.
                            feed.finish()
                            return Self.failure(error)
                        }
                        for batch in batches {
                            for delivery in batch.deliveries { batch.consumer.acknowledge(delivery) }
                        }
                        return nil
                    }
                } catch {
                    failure = Self.failure(error)
                }
            }
            for await late in group { failure = late ?? failure }
            return failure
        }
    }

    private static func failure(_ error: any Error) -> UploadError {
        error as? UploadError
            ?? UploadError(.unknown, "the notifier could not record a batch; see its cause", cause: error)
    }

    private func read(
        _ queue: String, _ prefetch: UInt16, until ending: Signal, into feed: NotifierFeed,
        _ translate: @escaping @Sendable (Delivery) -> NotifierArrival
    ) async -> UploadError? {
        var channel: Channel?
        var failure: UploadError?
        while !ending.isFired {
            _ = await ending.cancelling { [consuming] in try? await consuming.waitUntilConnected() }
            if ending.isFired { break }
            do throws(RabbitMQError) {
                let consumer =
                    if let channel {
                        try await channel.consume(queue, prefetch: prefetch)
                    } else {
                        try await consuming.consume(queue, prefetch: prefetch)
                    }
                channel = consumer.channel
                taking.withLock { _ = $0.queues.insert(queue) }
                defer { taking.withLock { _ = $0.queues.remove(queue) } }
                let drain = ending.onFire { Task { await consumer.cancel() } }
                defer { ending.remove(drain) }
                var batches = consumer.makeAsyncIterator()
                while let deliveries = try await batches.next() {
                    var batch = NotifierFeed.Batch(messages: [], deliveries: [], consumer: consumer)
                    for delivery in deliveries {
                        let messages = try await records(of: delivery, from: queue, until: ending, translate)
                        if messages.isEmpty {
                            consumer.acknowledge(delivery)
                        } else {
                            batch.messages += messages
                            batch.deliveries.append(delivery)
                        }
                        if batch.messages.count >= NotifierFeed.messagesMaximum {
                            feed.add(batch)
                            batch = NotifierFeed.Batch(messages: [], deliveries: [], consumer: consumer)
                        }
                    }
                    if !batch.messages.isEmpty { feed.add(batch) }
                }
            } catch {
                if ending.isFired { break }
                logger.warning(
                    "notifier's queue interrupted",
                    metadata: ["queue": .string(queue), "error": .string(String(describing: error))])
                if error.code == .closed || error.code == .accessRefused || error.code == .preconditionFailed {
                    failure = UploadError(error, doing: "'\(queue)' cannot be read")
                    feed.finish()
                    break
                }
                _ = try? await consuming.declareAgain(topology.shared)
                await ending.wait(atMost: Self.retryPause)
            }
        }
        await channel?.close()
        return failure
    }

    /// What is to be recorded of a delivery, after everything in it that belongs elsewhere was published there.
    private func records(
        of delivery: Delivery, from queue: String, until ending: Signal, _ translate: (Delivery) -> NotifierArrival
    ) async throws(RabbitMQError) -> [NotifierMessage] {
        var records: [NotifierMessage] = []
        for message in WireFormat.singles(of: delivery.message) {
            var single = delivery
            single.message = message
            switch translate(single) {
            case .record(let own): records.append(own)
            case .forward(let exchange, let routingKey, let cause):
                let refused = try await forward(single, from: queue, exchange, routingKey, cause, until: ending)
                if let refused { records.append(refused) }
            case .drop: break
            }
        }
        return records
    }

    /// Publishes a message once more, where it belongs. Confirmed when this returns. One that is forwarded twice is one for the ledger, like
    /// one that is delivered twice.
    /// - Returns: the message to record instead, if the broker takes it in no queue.
    private func forward(
        _ delivery: Delivery, from queue: String, _ exchange: String, _ routingKey: String, _ cause: DeathCause?,
        until ending: Signal
    ) async throws(RabbitMQError) -> NotifierMessage? {
        let parcel = Parcel(
            message: WireFormat.forwarded(delivery.message, cause: cause), exchange: exchange, routingKey: routingKey,
            topology: self.topology.shared)
        do throws(RabbitMQError) {
            try await publisher.deliver(parcel, until: ending)
            return nil
        } catch {
            guard error.code == .messageRefused || error.code == .invalidArgument else { throw error }
            return .unreadable(
                delivery.message.body,
                reason: "it belongs to another shard, and cannot be published there: \(error.message)",
                envelope: MessageEnvelope(
                    delivery.message, queue: queue, exchange: delivery.exchange, routingKey: delivery.routingKey))
        }
    }
}
