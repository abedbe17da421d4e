/// What happens between a program and a broker, as an `AMQPFaultProxy` sees it.
public enum AMQPStep: Sendable {
    /// A message on its way.
    public struct Message: Sendable {
        public let exchange: String
        public let routingKey: String
        public let body: [UInt8]
        /// Of a delivery.
        public let isRedelivered: Bool
        let channel: UInt16
        let tag: UInt64
    }

    /// To the broker.
    case publish(Message)
    /// To the client: the broker has these, or with a nack has not; several at once as the broker sees fit.
    case confirm([Message])
    /// To the client.
    case deliver(Message)
    /// To the broker: the client has done with these (ack, nack or reject).
    case acknowledge([Message])

    public var messages: [Message] {
        switch self {
        case .publish(let message), .deliver(let message): [message]
        case .confirm(let messages), .acknowledge(let messages): messages
        }
    }
}
