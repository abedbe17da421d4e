public import Foundation

extension API {
    /// A message that the notifier could not read, or that the ledger could not record.
    public struct DeadLetter: Codable, Hashable, Sendable {
        public var id: Int64
        /// When the ledger recorded it.
        public var at: Date
        /// `waiting` or `replayed`.
        public var status: String
        /// Why the message could not be read or recorded.
        public var reason: String
        /// Size of the message as it arrived.
        public var bytes: Int64
        /// Whether the ledger keeps the whole message, not only its beginning.
        public var isWhole: Bool
        /// The type that the message claims, such as `upload.job.v1`.
        public var type: String?
        /// The content type that the message claims.
        public var contentType: String?
        /// The job that the message claims to be about.
        public var job: String?
        /// Names of the message's headers; their values may be secrets.
        public var headers: [String]
        /// The queue in which the message was.
        public var origin: String?
        /// The dead letter that was published again and came back as this one.
        public var replayOf: Int64?
        /// When an operator published it again.
        public var replayedAt: Date?
        /// The operator who published it again.
        public var replayedBy: String?
        /// The beginning of the body, without queries of URLs and inline bytes; nil in a list.
        public var body: String?
        /// `text`, or `hex` for a body that is no text; nil in a list.
        public var bodyEncoding: String?

        public init(
            id: Int64, at: Date, status: String, reason: String, bytes: Int64, isWhole: Bool, type: String? = nil,
            contentType: String? = nil, job: String? = nil, headers: [String], origin: String? = nil,
            replayOf: Int64? = nil, replayedAt: Date? = nil, replayedBy: String? = nil, body: String? = nil,
            bodyEncoding: String? = nil
        ) {
            self.id = id
            self.at = at
            self.status = status
            self.reason = reason
            self.bytes = bytes
            self.isWhole = isWhole
            self.type = type
            self.contentType = contentType
            self.job = job
            self.headers = headers
            self.origin = origin
            self.replayOf = replayOf
            self.replayedAt = replayedAt
            self.replayedBy = replayedBy
            self.body = body
            self.bodyEncoding = bodyEncoding
        }
    }

    /// A page of a list of dead letters.
    public struct DeadLetterPage: Codable, Hashable, Sendable {
        public var deadLetters: [DeadLetter]
        /// `before` of the next page; null on the last.
        @Nullable public var next: Int64?

        public init(deadLetters: [DeadLetter], next: Int64? = nil) {
            self.deadLetters = deadLetters
            self.next = next
        }
    }

    /// The result of publishing one dead letter again.
    public struct DeadLetterReplay: Codable, Hashable, Sendable {
        public var id: Int64
        /// Whether the dead letter was published.
        public var done: Bool
        /// Where it was published, for people.
        public var to: String?
        public var at: Date?
        /// The operator who published it again.
        public var by: String?
        /// Why it was not published.
        public var reason: String?

        public init(
            id: Int64, done: Bool, to: String? = nil, at: Date? = nil, by: String? = nil, reason: String? = nil
        ) {
            self.id = id
            self.done = done
            self.to = to
            self.at = at
            self.by = by
            self.reason = reason
        }
    }

    /// The results of publishing many dead letters again.
    public struct DeadLetterReplays: Codable, Hashable, Sendable {
        public var matched: Int
        /// How many were published.
        public var done: Int
        /// The oldest dead letter first.
        public var deadLetters: [DeadLetterReplay]

        public init(matched: Int, done: Int, deadLetters: [DeadLetterReplay]) {
            self.matched = matched
            self.done = done
            self.deadLetters = deadLetters
        }
    }

    /// The answer to a request to throw a dead letter away.
    public struct Discarded: Codable, Hashable, Sendable {
        /// The dead letter's id.
        public var discarded: Int64

        public init(discarded: Int64) {
            self.discarded = discarded
        }
    }
}
