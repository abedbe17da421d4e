/// A message on its way to the broker, and the broker's answer: a confirm, or the reason why it does not take the
/// message.
public struct PublisherConfirm: Sendable {
    let promise: Promise<Void>

    /// Waits for the broker's answer, even if the calling task is cancelled. Call it once.
    /// - Returns: a failure as ``Channel/publish(_:to:routingKey:epoch:)`` throws it, or the error given to
    ///   ``giveUp(_:)``.
    public func outcome() async -> Result<Void, RabbitMQError> { await promise.outcome() }

    /// Ends the wait; the message may arrive all the same. Does nothing if the broker has answered.
    public func giveUp(_ error: RabbitMQError) { promise.fail(error) }
}
