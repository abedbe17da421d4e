/// A message on its way to the broker.
final class PublishRequest: Sendable {
    let channel: UInt64
    let message: Message
    let exchange: String
    let routingKey: String
    /// Whether the broker returns the message when no queue gets it.
    let isMandatory: Bool
    /// Sent only in this epoch, if one is given.
    let epoch: UInt64?
    /// The caller that waits for the confirm; nil for a post.
    let promise: Promise<Void>?

    init(
        channel: UInt64, message: Message, exchange: String, routingKey: String, isMandatory: Bool,
        epoch: UInt64?, promise: Promise<Void>?
    ) {
        self.channel = channel
        self.message = message
        self.exchange = exchange
        self.routingKey = routingKey
        self.isMandatory = isMandatory
        self.epoch = epoch
        self.promise = promise
    }

    /// Whether a returned message is this one, or looks the same.
    func isIndistinguishable(from content: Message, exchange: String, routingKey: String) -> Bool {
        isMandatory && self.exchange == exchange && self.routingKey == routingKey
            && message.messageID == content.messageID && message.correlationID == content.correlationID
            && message.type == content.type && message.body == content.body
    }
}
