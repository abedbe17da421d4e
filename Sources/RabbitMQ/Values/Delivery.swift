/// A received message, and the values that settle it.
public struct Delivery: Sendable {
    public var message: Message
    public var exchange: String
    public var routingKey: String
    /// Empty for a message that `Channel.get(_:)` fetched.
    public var consumerTag: String
    /// Counted by the channel, from 1, anew after each (re)opening.
    public var tag: UInt64
    /// Whether the message may have been delivered before.
    public var redelivered: Bool
    /// The `Connection.epoch` in which it came.
    public var epoch: UInt64
    /// Its offset in the stream, for deliveries from a stream.
    public var streamOffset: UInt64?
    /// The opening of the channel in which it came: a tag is not valid in another one.
    var incarnation: UInt64
}
