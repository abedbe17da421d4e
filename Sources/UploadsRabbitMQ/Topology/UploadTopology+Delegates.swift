public import RabbitMQ

extension UploadTopology {
    /// How many messages a delegate's queue holds; then it refuses more, and the rest waits in the notifier's ledger.
    static let delegateMessageCountMaximum: Int64 = 1_000_000

    /// The queue of a delegate: `<namespace>.delegate.<name>`.
    public func delegateQueue(_ name: String) -> String { "\(namespace).delegate.\(name)" }

    /// A delegate's queue, reached by its name alone. No delivery limit: messages that the delegate has refused too
    /// often would be lost, because no dead-letter queue keeps them.
    public func delegate(_ name: String) -> Topology {
        Topology(queues: [
            Queue(
                name: delegateQueue(name),
                arguments: [
                    "x-queue-type": "quorum",
                    "x-delivery-limit": .int64(Int64(Self.deliveryLimitNone)),
                    "x-max-length": .int64(Self.delegateMessageCountMaximum),
                    "x-overflow": "reject-publish",
                ])
        ])
    }
}
