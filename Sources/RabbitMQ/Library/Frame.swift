import CRabbitMQ

/// The broker's frames, as values. The bytes of a body are valid until the next frame is read.
enum Frame {
    case content(channel: UInt16, ContentAssembler.Start)
    case header(channel: UInt16, Message, bodyBytes: UInt64)
    case body(channel: UInt16, UnsafeRawBufferPointer)
    case confirm(channel: UInt16, tag: UInt64, multiple: Bool, isNegative: Bool)
    case consumerCancelled(channel: UInt16, tag: String, wantsAnswer: Bool)
    case channelClosed(channel: UInt16, Closing)
    case answer(channel: UInt16, Answer)
    case connectionClosed(Closing)
    case connectionCloseConfirmed
    case blocked(reason: String)
    case unblocked
    case ignored

    /// Why the broker closed a channel or the connection, and for which method.
    struct Closing {
        var code: Int
        var text: String
        var method: amqp_method_number_t
    }

    /// The answer to a method.
    struct Answer {
        var method: amqp_method_number_t
        /// The number of messages, for the methods about queues.
        var count: UInt32 = 0
        /// The number of consumers of a declared queue.
        var consumers: UInt32 = 0
        var delivery: Delivery?
    }
}
