/// What a message said besides its body, and where it came in: what is needed to publish it again as it was.
public struct MessageEnvelope: Codable, Hashable, Sendable {
    /// What the body is said to be: `upload.job.v1` and so on.
    public var type: String?
    public var contentType: String?
    public var contentEncoding: String?
    /// Of a job or a baton: the job's id.
    public var messageID: String?
    public var correlationID: String?
    public var appID: String?
    /// But for those that the broker adds, and those that steer where a message goes.
    public var headers: [String: JSONValue]
    /// The queue that it came in, or died in; nil where nothing tells.
    public var queue: String?
    /// Where it was published; nil where nothing tells.
    public var exchange: String?
    public var routingKey: String?
    /// The dead letter as which it was published again before.
    public var replayOf: UnreadableMessage.ID?
    /// Whether secrets were cut from the body that is kept: it is only for people to look at.
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
