public import Foundation

/// A body with its properties (AMQP 0-9-1, section 1.8).
public struct Message: Hashable, Sendable {
    /// The broker limits the size (128 MiB by default in 3.x, 16 MiB from 4.0).
    public var body: Data
    public var contentType: String?
    public var contentEncoding: String?
    public var headers: Table
    /// Whether the message survives a restart of the broker (in durable queues).
    public var isPersistent: Bool
    /// 0...9; only queues with priorities use it.
    public var priority: UInt8?
    public var correlationID: String?
    public var replyTo: String?
    /// How long the message may wait in a queue, in milliseconds, as decimal digits.
    public var expiration: String?
    public var messageID: String?
    /// Carried in whole seconds.
    public var timestamp: Date?
    public var type: String?
    /// Refused by the broker unless it is the name of the connection's user.
    public var userID: String?
    public var appID: String?

    public init(
        body: Data = Data(), contentType: String? = nil, headers: Table = [:], isPersistent: Bool = true,
        messageID: String? = nil, type: String? = nil, timestamp: Date? = nil
    ) {
        self.body = body
        self.contentType = contentType
        self.headers = headers
        self.isPersistent = isPersistent
        self.messageID = messageID
        self.type = type
        self.timestamp = timestamp
    }
}
