/// A protocol step between a program and a broker that an `AMQPFaultProxy` can act on.
public enum AMQPStep: Sendable {
    /// A message on its way.
    public struct Message: Sendable {
        public let exchange: String
        public let routingKey: String
        public let body: [UInt8]
        /// Whether the broker marked a delivery as redelivered.
        public let isRedelivered: Bool
        let channel: UInt16
        let tag: UInt64
    }

    /// To the broker.
    case publish(Message)
    /// To the client: the broker has confirmed these messages, or refused them with a nack; several at once where the broker does that.
    case confirm([Message])
    /// To the client.
    case deliver(Message)
    /// To the broker: the client has settled these deliveries (ack, nack or reject).
    case acknowledge([Message])

    public var messages: [Message] {
        switch self {
        case .publish(let message), .deliver(let message): [message]
        case .confirm(let messages), .acknowledge(let messages): messages
        }
    }
}
