import RabbitMQ
public import Uploads

extension UploadBroker {
    /// Messages that are moved at the same time.
    private static let migrationPage: UInt16 = 200

    /// Moves a namespace that version 2 of ``UploadTopology`` made, with one queue `<namespace>.notifier` and routing keys without digits, to
    /// this version, with one shard. Lanes and the delay ladder keep their messages and their former bindings, so a message that waits there
    /// under a former key arrives. A migration that was interrupted goes on when this is called again; it repeats messages at most, and the
    /// ledger knows those.
    /// - Parameters:
    ///   - queues: transfer queues, whose lanes get the new bindings.
    ///   - delegates: queue delegates, by their names.
    /// - Returns: how many messages were moved; nil if there is nothing to move.
    /// - Throws: `misconfigured` with several shards, `rejected` while a notifier reads from the former queue.
    public func migrateObjects(queues: [QueueName], delegates: [String]) async throws(UploadError) -> Int? {
        let former = "\(topology.namespace).notifier"
        let connection = try await consumingConnection()
        do {
            guard let depth = try await depth(of: former, connection) else { return nil }
            try checkMigration(of: former, consumers: Int(depth.consumers))
            // Its arguments are others now. Until it is declared again, producers keep their jobs.
            try await connection.delete(Topology(exchanges: [Exchange(name: topology.submit, kind: .topic)]))
            try await connection.declareAgain(topology.objects(of: queues, delegates))
            // From now on the former queue gets only events, which the new one gets as well.
            var count = 0
            while let waiting = try await self.depth(of: former, connection)?.messages, waiting > 0 {
                try await moveMessages(Int(waiting), from: former, connection)
                count += Int(waiting)
            }
            try await connection.delete(Topology(queues: [Queue(name: former)]))
            return count
        } catch let error as RabbitMQError {
            throw UploadError(error, doing: "the namespace could not be moved; run the command again")
        } catch let error as UploadError {
            throw error
        } catch {
            throw UploadError(.unknown, "the namespace could not be moved", cause: error)
        }
    }

    private func checkMigration(of former: String, consumers: Int) throws(UploadError) {
        guard topology.shards == .one else {
            throw UploadError(
                .misconfigured,
                "the namespace '\(topology.namespace)' was made with one shard, and keeps that number: configure 'shards: 1', or use "
                    + "another namespace")
        }
        guard consumers == 0 else {
            throw UploadError(
                .rejected, "an upload-notifier of the earlier version still reads from '\(former)': stop it first")
        }
    }

    private func depth(of queue: String, _ connection: Connection) async throws(RabbitMQError) -> QueueDepth? {
        try await found(connection) { channel throws(RabbitMQError) in try await channel.depth(of: queue) }
    }

    /// Moves the messages that wait. (The broker lets no program get single messages of a queue with a single active consumer.)
    private func moveMessages(
        _ count: Int, from former: String, _ connection: Connection
    ) async throws(RabbitMQError) {
        let consumer = try await connection.consume(former, prefetch: Self.migrationPage)
        let result: Result<Void, RabbitMQError>
        do throws(RabbitMQError) {
            var (moved, batches) = (0, consumer.makeAsyncIterator())
            while moved < count, let deliveries = try await batches.next() {
                try await move(deliveries, to: topology.notifier(0), consumer)
                moved += deliveries.count
            }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await consumer.channel.close()
        try result.get()
    }

    /// Removes messages from the former queue when all of them are confirmed in the new one. They keep their order.
    private func move(_ deliveries: [Delivery], to queue: String, _ consumer: Consumer) async throws(RabbitMQError) {
        var confirms: [PublisherConfirm] = []
        for delivery in deliveries {
            let message = WireFormat.forwarded(delivery.message)
            confirms.append(try consumer.channel.send(message, to: "", routingKey: queue))
        }
        for confirm in confirms { try await confirm.outcome().get() }
        for delivery in deliveries { consumer.acknowledge(delivery) }
    }
}
