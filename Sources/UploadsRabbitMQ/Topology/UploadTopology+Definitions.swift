import RabbitMQ
public import Uploads

extension UploadTopology {
    /// All objects of the namespace: the shared ones, the lanes of transfer queues and the queues of delegates.
    func objects(of queues: [QueueName], _ delegates: [String]) -> Topology {
        let lanes = queues.reduce(shared) { $0 + self.lanes(of: $1) }
        return delegates.reduce(lanes) { $0 + delegate($1) }
    }

    /// The same in the form that `rabbitmqctl import_definitions` and the management page take
    /// (https://www.rabbitmq.com/docs/definitions).
    public func definitions(of queues: [QueueName], delegates: [String], virtualHost: String) -> JSONValue {
        let objects = objects(of: queues, delegates)
        let host = ["vhost": JSONValue.string(virtualHost)]
        func entry(_ values: [String: JSONValue], _ arguments: Table) -> JSONValue {
            .object(host.merging(values) { $1 }.merging(["arguments": .object(arguments.mapValues(\.json))]) { $1 })
        }
        return .object([
            "exchanges": .array(
                objects.exchanges.map {
                    entry(
                        [
                            "name": .string($0.name), "type": .string($0.kind.rawValue), "durable": .bool($0.durable),
                            "auto_delete": .bool($0.autoDelete), "internal": .bool($0.internal),
                        ], $0.arguments)
                }),
            "queues": .array(
                objects.queues.map {
                    entry(
                        [
                            "name": .string($0.name), "durable": .bool($0.durable), "auto_delete": .bool($0.autoDelete),
                        ], $0.arguments)
                }),
            "bindings": .array(
                objects.bindings.map { binding in
                    let (name, type) =
                        switch binding.destination {
                        case .queue(let name): (name, "queue")
                        case .exchange(let name): (name, "exchange")
                        }
                    return entry(
                        [
                            "source": .string(binding.source), "destination": .string(name),
                            "destination_type": .string(type), "routing_key": .string(binding.routingKey),
                        ], binding.arguments)
                }),
        ])
    }
}

extension FieldValue {
    /// For the kinds of values that the topology's arguments have.
    fileprivate var json: JSONValue {
        if let integer { return .integer(integer) }
        if let bool { return .bool(bool) }
        return string.map { .string($0) } ?? .null
    }
}
