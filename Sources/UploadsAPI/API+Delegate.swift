public import Foundation

extension API {
    /// A delegate: its definition without its secrets, and the state of its deliveries.
    public struct Delegate: Codable, Hashable, Sendable {
        public var name: String
        /// `webhook`, `queue`, `command`, `log`, `custom`, or `unknown` for a definition that a newer version wrote.
        public var kind: String
        /// Where outcomes go: a URL without its query, or a path.
        public var target: String?
        /// Where the definition is kept, and can be changed: `configuration` or `registration`.
        public var origin: String
        /// When the delegate was registered; nil for one of the configuration.
        public var createdAt: Date?
        /// When the definition was changed last; nil for one of the configuration.
        public var changedAt: Date?
        /// The outcomes that the delegate gets: `completed`, `failed`, `cancelled`, or some of them, in this order.
        public var types: [String]
        /// The delegate gets outcomes of jobs in these queues alone; empty for all. The three below likewise.
        public var queues: [String]
        public var destinations: [String]
        public var batches: [String]
        /// Values that a job's metadata must have.
        public var metadata: [String: String]
        /// The identifier of the app that registered the delegate and whose jobs alone it serves.
        public var client: String?
        /// The sources of the fields that the delegate gets, by its names for them; nil where it gets whole outcomes.
        public var fields: [String: String]?
        /// Whether the outcomes of one job are delivered one after the other.
        public var ordered: Bool
        /// Deliveries at once at most.
        public var concurrency: Int?
        /// Seconds that one attempt may take.
        public var timeoutSeconds: Double?
        /// `structured` or `binary`; nil for all but a webhook.
        public var mode: String?
        /// Whether a secret signs the deliveries.
        public var hasSecret: Bool
        /// Until when a secret that was replaced signs as well.
        public var oldSecretUntil: Date?
        /// Whether a delegate of this name is registered too: it is kept, and not served.
        public var hidesRegistered: Bool
        public var isServed: Bool
        /// Why the delegate is not served; nil if it is.
        public var problem: String?
        /// Outcomes that the delegate has not taken yet and that the notifier still tries.
        public var backlog: Int
        /// Outcomes that were given up, kept until they are replayed.
        public var failed: Int
        public var isPaused: Bool
        /// Whether an operator paused the delegate, and not its failures.
        public var isHeld: Bool
        /// nil while the delegate is served.
        public var pausedSince: Date?
        /// Why the delegate is paused.
        public var reason: String?

        public init(
            name: String, kind: String, target: String? = nil, origin: String, createdAt: Date? = nil,
            changedAt: Date? = nil, types: [String], queues: [String], destinations: [String], batches: [String],
            metadata: [String: String], client: String? = nil, fields: [String: String]? = nil, ordered: Bool,
            concurrency: Int? = nil, timeoutSeconds: Double? = nil, mode: String? = nil, hasSecret: Bool,
            oldSecretUntil: Date? = nil, hidesRegistered: Bool, isServed: Bool, problem: String? = nil, backlog: Int,
            failed: Int, isPaused: Bool, isHeld: Bool, pausedSince: Date? = nil, reason: String? = nil
        ) {
            self.name = name
            self.kind = kind
            self.target = target
            self.origin = origin
            self.createdAt = createdAt
            self.changedAt = changedAt
            self.types = types
            self.queues = queues
            self.destinations = destinations
            self.batches = batches
            self.metadata = metadata
            self.client = client
            self.fields = fields
            self.ordered = ordered
            self.concurrency = concurrency
            self.timeoutSeconds = timeoutSeconds
            self.mode = mode
            self.hasSecret = hasSecret
            self.oldSecretUntil = oldSecretUntil
            self.hidesRegistered = hidesRegistered
            self.isServed = isServed
            self.problem = problem
            self.backlog = backlog
            self.failed = failed
            self.isPaused = isPaused
            self.isHeld = isHeld
            self.pausedSince = pausedSince
            self.reason = reason
        }
    }

    /// A delegate with the secret that was just made for it: one JSON object with the keys of both.
    public struct SignedDelegate: Codable, Hashable, Sendable {
        public var delegate: Delegate
        /// Shown in this answer alone; nil where the request gave the secret.
        public var secret: String?

        private enum CodingKeys: CodingKey { case secret }

        public init(delegate: Delegate, secret: String? = nil) {
            self.delegate = delegate
            self.secret = secret
        }

        public init(from decoder: any Decoder) throws {
            delegate = try Delegate(from: decoder)
            secret = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(String.self, forKey: .secret)
        }

        public func encode(to encoder: any Encoder) throws {
            try delegate.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encodeIfPresent(secret, forKey: .secret)
        }
    }

    /// Every delegate.
    public struct DelegateList: Codable, Hashable, Sendable {
        public var delegates: [Delegate]

        public init(delegates: [Delegate]) {
            self.delegates = delegates
        }
    }

    /// The answer to a request to remove a delegate.
    public struct RemovedDelegate: Codable, Hashable, Sendable {
        /// The delegate's name.
        @Tolerant public var removed: String
        /// Outcomes that the delegate had not taken and will not get, given up ones included.
        @Tolerant public var forgotten: Int

        public init(removed: String, forgotten: Int) {
            self.removed = removed
            self.forgotten = forgotten
        }
    }
}
