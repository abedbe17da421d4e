/// A message on its way to the broker, and what the broker will say of it: that it has it, or why it does not take it.
public struct PublisherConfirm: Sendable {
    let promise: Promise<Void>

    /// Waits for the broker's word, whatever becomes of the calling task. To be called once.
    /// - Returns: a failure as ``Channel/publish(_:to:routingKey:epoch:)`` throws it, or what ``giveUp(_:)`` was told.
    public func outcome() async -> Result<Void, RabbitMQError> { await promise.outcome() }

    /// Waits no longer; the message may arrive all the same. Nothing happens if the broker has spoken.
    public func giveUp(_ error: RabbitMQError) { promise.fail(error) }
}
