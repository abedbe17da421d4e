/// A channel of a connection: its publishes are in order, and its consumers share its delivery tags. After a reconnect
/// it is opened again and its consumers are restored. After a channel error it is opened again; its consumers end with
/// `.channelClosed`.
public final class Channel: Sendable {
    public let connection: Connection
    let id: UInt64

    private var core: ConnectionCore { connection.core }

    init(connection: Connection, id: UInt64) {
        self.connection = connection
        self.id = id
    }

    deinit { connection.core.inbox.send(.closeChannel(id, Promise())) }

    /// Publishes, and returns when the broker has taken the message over. The message is confirmed, and mandatory
    /// unless `isMandatory` is false.
    ///
    /// While the broker is blocked this waits. A cancelled call returns at once; its message may still arrive.
    ///
    /// - Parameters:
    ///   - isMandatory: false if the message may reach no queue; it is confirmed then as well.
    ///   - epoch: publish only while this is the connection's epoch.
    /// - Throws: `.returned` if it is mandatory and no queue gets it, `.nacked`; `.connectionLost` and `.channelClosed`
    ///   if the broker may have taken it, `.notConnected` if it has not; `.invalidArgument`, `.closed`, `.cancelled`.
    ///   When the broker closes the channel for a message, it does not say for which. So only if no other message was
    ///   unconfirmed on the channel, this throws the reason of the refusal: `.notFound` if there is no such exchange,
    ///   `.accessRefused`, or `.messageRefused`.
    public func publish(
        _ message: Message, to exchange: String, routingKey: String, isMandatory: Bool = true, epoch: UInt64? = nil
    ) async throws(RabbitMQError) {
        try await send(message, to: exchange, routingKey: routingKey, isMandatory: isMandatory, epoch: epoch)
            .promise.value()
    }

    /// The same, for callers that wait for the confirm in their own way.
    public func send(
        _ message: Message, to exchange: String, routingKey: String, isMandatory: Bool = true, epoch: UInt64? = nil
    ) throws(RabbitMQError) -> PublisherConfirm {
        try message.validate()
        try Names.check(exchange, "exchange")
        try Names.check(routingKey, "routing key")
        if connection.epoch == 0 { throw core.ended.isFired ? ConnectionCore.closed : ConnectionCore.notConnected }
        let promise = Promise<Void>()
        let request = PublishRequest(
            channel: id, message: message, exchange: exchange, routingKey: routingKey, isMandatory: isMandatory,
            epoch: epoch, promise: promise)
        if !core.inbox.send(.publish(request)) { throw ConnectionCore.closed }
        return PublisherConfirm(promise: promise)
    }

    /// Publishes if that is possible now, and reports no result: not mandatory, not confirmed. The message is dropped
    /// while there is no connection, when 1024 posts or 8 MiB of them wait already, or when it cannot be encoded.
    public func post(_ message: Message, to exchange: String, routingKey: String) {
        guard (try? message.validate()) != nil, exchange.utf8.count <= 255, routingKey.utf8.count <= 255 else { return }
        core.inbox.post(
            PublishRequest(
                channel: id, message: message, exchange: exchange, routingKey: routingKey, isMandatory: false,
                epoch: nil, promise: nil))
    }

    /// Begins to consume.
    ///
    /// - Parameters:
    ///   - prefetch: how many deliveries may be unsettled at once; 1 or more.
    ///   - tag: names the consumer, uniquely within the channel; `nil` makes a new name.
    ///   - exclusive: refuse to share the queue with other consumers.
    ///   - stream: where to begin, for stream queues only. After a reconnect the consumer continues behind the last
    ///     delivery that was read.
    /// - Throws: `.notFound`, `.accessRefused`, `.resourceLocked`, `.preconditionFailed`, `.notConnected`,
    ///   `.connectionLost`, `.invalidArgument`, `.closed`, `.cancelled`.
    public func consume(
        _ queue: String, prefetch: UInt16, tag: String? = nil, exclusive: Bool = false, arguments: Table = [:],
        stream: StreamOffset? = nil
    ) async throws(RabbitMQError) -> Consumer {
        let consuming = try beginConsuming(
            queue, prefetch: prefetch, tag: tag, exclusive: exclusive, arguments: arguments, stream: stream)
        try await consuming.promise.value()
        return consuming.consumer
    }

    func beginConsuming(
        _ queue: String, prefetch: UInt16, tag: String? = nil, exclusive: Bool = false, arguments: Table = [:],
        stream: StreamOffset? = nil
    ) throws(RabbitMQError) -> (consumer: Consumer, promise: Promise<Void>) {
        try Names.check(queue, "queue")
        try Names.check(tag ?? "", "consumer tag")
        guard prefetch > 0 else {
            throw RabbitMQError(.invalidArgument, "a prefetch of 0 means no limit: give one from 1 to 65535")
        }
        let consumer = ConsumerCore(
            queue: queue, tag: tag ?? "\(core.configuration.name.prefix(200)).\(core.makeID())", prefetch: prefetch,
            isExclusive: exclusive, arguments: arguments, stream: stream)
        return (Consumer(channel: self, core: consumer), core.begin { .consume(channel: id, consumer, $0) })
    }

    /// Fetches one message, to be settled like any delivery.
    ///
    /// - Returns: `nil` if the queue is empty.
    public func get(_ queue: String) async throws(RabbitMQError) -> Delivery? {
        try Names.check(queue, "queue")
        return try await core.ask { .get(channel: id, queue: queue, $0) }
    }

    /// Drops the messages that wait in a queue. - Returns: how many messages.
    @discardableResult
    public func purge(_ queue: String) async throws(RabbitMQError) -> UInt32 {
        try Names.check(queue, "queue")
        return try await core.ask { .purge(channel: id, queue: queue, $0) }
    }

    /// How many messages wait in a queue, without those delivered and not yet settled.
    public func messageCount(of queue: String) async throws(RabbitMQError) -> UInt32 {
        try await depth(of: queue).messages
    }

    /// How many messages wait in a queue, and how many consumers it has.
    /// - Throws: `notFound` for a missing queue.
    public func depth(of queue: String) async throws(RabbitMQError) -> QueueDepth {
        try Names.check(queue, "queue")
        return try await core.ask { .count(channel: id, queue: queue, $0) }
    }

    /// Checks that an exchange exists, of any kind.
    /// - Throws: `notFound` for a missing exchange.
    public func check(exchange: String) async throws(RabbitMQError) {
        try Names.check(exchange, "exchange")
        try await core.ask { .check(channel: id, exchange: exchange, $0) }
    }

    /// Settles a delivery, without waiting. Dropped if it came in another epoch or before a channel error: the broker
    /// delivers such a message again.
    public func acknowledge(_ delivery: Delivery) { settle(delivery, .acknowledge) }

    /// Puts a delivery back, or (without `requeue`) drops or dead-letters it. Does not wait; dropped in the same cases
    /// as `acknowledge`.
    public func reject(_ delivery: Delivery, requeue: Bool) { settle(delivery, .reject(requeue: requeue)) }

    /// Cancels the consumers, sends all acknowledgements and closes. Later calls fail with `.closed`. Bounded by
    /// `connectTimeout`; idempotent.
    public func close() async {
        let promise = Promise<Void>()
        guard core.inbox.send(.closeChannel(id, promise)) else { return }
        // It fails only together with the connection, and then the channel is closed as well.
        try? await promise.value()
    }

    private func settle(_ delivery: Delivery, _ settling: Command.Settling) {
        core.inbox.send(
            .settle(channel: id, incarnation: delivery.incarnation, tag: delivery.tag, settling))
    }
}
