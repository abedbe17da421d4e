/// A message as it came, and what is needed to settle it.
public struct Delivery: Sendable {
    public var message: Message
    public var exchange: String
    public var routingKey: String
    /// Empty for what `Channel.get(_:)` fetched.
    public var consumerTag: String
    /// Counted by the channel, from 1, anew after each (re)opening.
    public var tag: UInt64
    /// Whether the message may have been delivered before.
    public var redelivered: Bool
    /// The `Connection.epoch` that it came in.
    public var epoch: UInt64
    /// Its place in the stream, for deliveries from a stream.
    public var streamOffset: UInt64?
    /// Which opening of the channel it came in: a tag means nothing in another one.
    var incarnation: UInt64
}
