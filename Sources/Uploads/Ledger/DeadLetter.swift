public import Foundation

/// A message that cannot be read, or that the ledger cannot record: kept for an operator.
public struct UnreadableMessage: Hashable, Sendable, Identifiable {
    /// Bytes of a body that are kept: as many as the largest body that any reader takes, because the notifier
    /// acknowledges a message that it cannot record, and the row is all that is left of it.
    public static let bodyBytesMaximum = WireLimits.bodyBytesMaximum
    /// The most bytes of a reason that are kept.
    public static let reasonBytesMaximum = 1000
    /// The most characters of a name that are kept with a replay.
    public static let byCountMaximum = 200

    /// Rises in the order of recording.
    public var id: Int64
    public var at: Date
    public var reason: String
    /// The body as it came, cut to ``bodyBytesMaximum``. In a listing, only its beginning.
    public var body: Data
    /// Bytes of the body as it came.
    public var size: Int
    /// nil if a version that kept no envelopes recorded it.
    public var envelope: MessageEnvelope?
    /// When it was published again, and the broker confirmed that.
    public var replayedAt: Date?
    /// The name that the operator gave, unverified.
    public var replayedBy: String?

    public init(
        id: Int64, at: Date, reason: String, body: Data, size: Int? = nil, envelope: MessageEnvelope? = nil,
        replayedAt: Date? = nil, replayedBy: String? = nil
    ) {
        self.id = id
        self.at = at
        self.reason = reason
        self.body = body
        self.size = size ?? body.count
        self.envelope = envelope
        self.replayedAt = replayedAt
        self.replayedBy = replayedBy
    }

    /// Whether all of the body is kept.
    public var isWhole: Bool { size <= Self.bodyBytesMaximum }
}

/// Which dead letters are asked for, the newest first; what is nil matches any.
public struct DeadLetterListing: Hashable, Sendable {
    /// The most dead letters in one answer, 100, and the most bytes of each body in it, 4 KiB.
    public static let limitMaximum = 100
    public static let bodyBytesMaximum = 4096

    /// Only those with lower ids: the last one of the page before.
    public var before: UnreadableMessage.ID?
    /// Whether they were published again.
    public var isReplayed: Bool?
    /// The type that the message stated: `upload.job.v1` and so on.
    public var type: String?
    /// Part of the reason, in upper or lower case.
    public var reason: String?
    /// Recorded at this time or later.
    public var since: Date?
    /// Recorded before this time.
    public var until: Date?
    /// 1 to ``limitMaximum``.
    public var limit: Int

    public init(
        before: UnreadableMessage.ID? = nil, isReplayed: Bool? = nil, type: String? = nil, reason: String? = nil,
        since: Date? = nil, until: Date? = nil, limit: Int = limitMaximum
    ) {
        self.before = before
        self.isReplayed = isReplayed
        self.type = type
        self.reason = reason
        self.since = since
        self.until = until
        self.limit = limit
    }
}

/// A message as it is kept when the ledger cannot record it: its body, and what is needed to publish it again.
public struct MessageCopy: Hashable, Sendable {
    public var body: Data
    public var envelope: MessageEnvelope

    public init(body: Data, envelope: MessageEnvelope) {
        self.body = body
        self.envelope = envelope
    }
}

/// A message's properties and the queue that it came in: what is needed to publish it again as it was.
public struct MessageEnvelope: Codable, Hashable, Sendable {
    /// The type that the message stated: `upload.job.v1` and so on.
    public var type: String?
    public var contentType: String?
    public var contentEncoding: String?
    /// The job's id, for a job or a baton.
    public var messageID: String?
    public var correlationID: String?
    public var appID: String?
    /// The headers, without those that the broker adds and those that steer where a message goes.
    public var headers: [String: JSONValue]
    /// The queue that it came in, or died in; nil if unknown.
    public var queue: String?
    /// The exchange that it was published to; nil if unknown.
    public var exchange: String?
    public var routingKey: String?
    /// The dead letter as which it was published again before.
    public var replayOf: UnreadableMessage.ID?
    /// Whether secrets were cut from the kept body: then it is only for people to look at.
    public var isRedacted: Bool

    public init(
        type: String? = nil, contentType: String? = nil, messageID: String? = nil,
        headers: [String: JSONValue] = [:], queue: String? = nil, exchange: String? = nil, routingKey: String? = nil,
        replayOf: UnreadableMessage.ID? = nil, isRedacted: Bool = false
    ) {
        self.type = type
        self.contentType = contentType
        self.messageID = messageID
        self.headers = headers
        self.queue = queue
        self.exchange = exchange
        self.routingKey = routingKey
        self.replayOf = replayOf
        self.isRedacted = isRedacted
    }
}
