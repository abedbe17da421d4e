import RabbitMQ
public import Uploads

extension UploadBroker {
    /// Checks all objects of the namespace without changing them: it declares the existing objects again, and the
    /// broker refuses that for an object that is different. AMQP cannot check bindings; a program that declares a queue
    /// declares its bindings again.
    /// - Parameters:
    ///   - queues: transfer queues, whose lanes are checked.
    ///   - delegates: queue delegates, by their names.
    public func objects(
        queues: [QueueName], delegates: [String]
    ) async throws(UploadError) -> [BrokerObject] {
        let wanted = topology.objects(of: queues, delegates)
        let connection = try await consumingConnection()
        do throws(RabbitMQError) {
            return try await looks(at: wanted, connection)
        } catch {
            throw UploadError(error, doing: "the broker's objects could not be looked at")
        }
    }

    /// Declares all objects of the namespace.
    public func declareObjects(queues: [QueueName], delegates: [String]) async throws(UploadError) {
        let connection = try await consumingConnection()
        do throws(RabbitMQError) {
            try await connection.declareAgain(topology.objects(of: queues, delegates))
        } catch {
            throw UploadError(error, doing: "the broker's objects could not be declared")
        }
    }

    /// Deletes all objects of the namespace, with all messages. A program that still runs loses the objects that it
    /// needs; they are declared again when that program needs them or reconnects, and each minute by a notifier.
    public func deleteObjects(queues: [QueueName], delegates: [String]) async throws(UploadError) {
        let connection = try await consumingConnection()
        do throws(RabbitMQError) {
            try await connection.delete(topology.objects(of: queues, delegates))
        } catch {
            throw UploadError(error, doing: "the broker's objects could not be deleted")
        }
    }

    /// Several at a time, each over a channel of its own; the results are in the order of the objects.
    private func looks(at wanted: Topology, _ connection: Connection) async throws(RabbitMQError) -> [BrokerObject] {
        let items = wanted.exchanges.map(Item.exchange) + wanted.queues.map(Item.queue)
        let found = await withTaskGroup(of: (Int, Result<BrokerObject, RabbitMQError>).self) { group in
            var found: [Result<BrokerObject, RabbitMQError>?] = Array(repeating: nil, count: items.count)
            for (index, item) in items.enumerated() {
                if index >= Self.looksAtOnce, let (done, result) = await group.next() { found[done] = result }
                group.addTask { (index, await self.look(at: item, connection)) }
            }
            for await (done, result) in group { found[done] = result }
            return found
        }
        var objects: [BrokerObject] = []
        for case let result? in found { objects.append(try result.get()) }
        return objects
    }

    private static let looksAtOnce = 8

    private enum Item { case exchange(Exchange), queue(Queue) }

    private func look(at item: Item, _ connection: Connection) async -> Result<BrokerObject, RabbitMQError> {
        do throws(RabbitMQError) {
            switch item {
            case .exchange(let exchange): return .success(try await look(at: exchange, connection))
            case .queue(let queue): return .success(try await look(at: queue, connection))
            }
        } catch {
            return .failure(error)
        }
    }

    private func look(at exchange: Exchange, _ connection: Connection) async throws(RabbitMQError) -> BrokerObject {
        let isThere = try await found(connection) { channel throws(RabbitMQError) in
            try await channel.check(exchange: exchange.name)
            return true
        }
        guard isThere == true else { return BrokerObject(.exchange, exchange.name, .missing) }
        let problem = try await difference(Topology(exchanges: [exchange]), connection)
        return BrokerObject(.exchange, exchange.name, problem == nil ? .asDeclared : .different, problem: problem)
    }

    private func look(at queue: Queue, _ connection: Connection) async throws(RabbitMQError) -> BrokerObject {
        let depth = try await found(connection) { channel throws(RabbitMQError) in
            try await channel.depth(of: queue.name)
        }
        guard let depth else { return BrokerObject(.queue, queue.name, .missing) }
        let problem = try await difference(Topology(queues: [queue]), connection)
        return BrokerObject(
            .queue, queue.name, problem == nil ? .asDeclared : .different, problem: problem,
            messages: Int(depth.messages), consumers: Int(depth.consumers))
    }

    /// Asks over a channel of its own: the broker closes it if the object is missing.
    func found<Answer: Sendable>(
        _ connection: Connection, _ ask: (Channel) async throws(RabbitMQError) -> Answer
    ) async throws(RabbitMQError) -> Answer? {
        let channel = try await connection.openChannel()
        let answer: Answer?
        do throws(RabbitMQError) {
            answer = try await ask(channel)
        } catch {
            guard error.code == .notFound else { throw error }
            answer = nil
        }
        await channel.close()
        return answer
    }

    /// Declaring an existing object again changes nothing, and is refused if it is different.
    private func difference(_ object: Topology, _ connection: Connection) async throws(RabbitMQError) -> String? {
        do throws(RabbitMQError) {
            try await connection.declareAgain(object)
            return nil
        } catch {
            guard error.code == .preconditionFailed else { throw error }
            return error.message
        }
    }
}
