/// The deliveries of a queue, an array at a time: all that have come since the last array was taken.
///
/// The consumer continues across reconnects (unsettled messages are delivered again, in a new epoch). The sequence ends
/// after ``cancel()`` and when channel or connection are closed. It throws `.consumerCancelled` when the broker cancels
/// it (the queue was deleted, say), and `.channelClosed` after a channel error. Several tasks may iterate and share the
/// deliveries.
public struct Consumer: AsyncSequence, Sendable {
    public typealias Element = [Delivery]
    public typealias Failure = RabbitMQError

    public let channel: Channel
    let core: ConsumerCore

    /// The consumer's name at the broker and in its deliveries.
    public var tag: String { core.tag }
    public var queue: String { core.queue }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(consumer: self) }

    /// Settles a delivery, without waiting; dropped if its epoch is over. See ``Channel/acknowledge(_:)``.
    public func acknowledge(_ delivery: Delivery) { channel.acknowledge(delivery) }

    /// Puts a delivery back, or drops or dead-letters it. See ``Channel/reject(_:requeue:)``.
    public func reject(_ delivery: Delivery, requeue: Bool) { channel.reject(delivery, requeue: requeue) }

    /// Takes no more deliveries: the sequence ends behind those that have come. They can still be settled until the
    /// channel is closed.
    public func cancel() async {
        let promise = Promise<Void>()
        guard channel.connection.core.inbox.send(.cancel(channel: channel.id, core, promise)) else { return }
        // It fails only if the connection is lost, and then there is nothing left to cancel.
        try? await promise.value()
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
        let consumer: Consumer

        /// - Returns: `nil` at the end, and when the task is cancelled (no delivery is lost: the next call continues).
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(RabbitMQError) -> [Delivery]? {
            try await consumer.core.next()
        }

        public mutating func next() async throws(RabbitMQError) -> [Delivery]? { try await consumer.core.next() }
    }
}
