public import Foundation

extension API {
    /// The delivery of one outcome to one delegate.
    public struct Delivery: Codable, Hashable, Sendable {
        @Tolerant public var id: Int64
        /// The delegate's name.
        public var delegate: String
        /// The outcome's id, as the delegate sees it.
        @Tolerant public var event: String
        /// A UUID.
        @Tolerant public var job: String
        /// `waiting`, `delivered` or `failed`.
        public var status: String
        /// Attempts that have failed so far.
        public var attempts: Int
        public var createdAt: Date
        /// `waiting`: when the notifier tries next.
        public var dueAt: Date?
        /// nil until the delegate took it.
        public var deliveredAt: Date?
        /// Why the last attempt failed; nil if none did.
        public var error: String?

        public init(
            id: Int64, delegate: String, event: String, job: String, status: String, attempts: Int, createdAt: Date,
            dueAt: Date? = nil, deliveredAt: Date? = nil, error: String? = nil
        ) {
            self.id = id
            self.delegate = delegate
            self.event = event
            self.job = job
            self.status = status
            self.attempts = attempts
            self.createdAt = createdAt
            self.dueAt = dueAt
            self.deliveredAt = deliveredAt
            self.error = error
        }
    }

    /// A page of a list of deliveries.
    public struct DeliveryPage: Codable, Hashable, Sendable {
        public var deliveries: [Delivery]
        /// `before` of the next page; null on the last.
        @Nullable public var next: Int64?

        public init(deliveries: [Delivery], next: Int64? = nil) {
            self.deliveries = deliveries
            self.next = next
        }
    }

    /// One try to deliver an outcome.
    public struct Attempt: Codable, Hashable, Sendable {
        /// When the attempt began.
        @Tolerant public var at: Date
        /// How long the attempt took.
        public var seconds: Double
        /// The HTTP status of a webhook, or the exit code of a command; nil if the delegate answered nothing.
        public var status: Int?
        /// The first 1024 bytes of the delegate's answer.
        public var answer: String?
        /// Why the attempt failed; nil if the delegate took the outcome.
        public var error: String?

        public init(at: Date, seconds: Double, status: Int? = nil, answer: String? = nil, error: String? = nil) {
            self.at = at
            self.seconds = seconds
            self.status = status
            self.answer = answer
            self.error = error
        }
    }

    /// The last attempts of a delivery.
    public struct AttemptList: Codable, Hashable, Sendable {
        /// The oldest first.
        public var attempts: [Attempt]

        public init(attempts: [Attempt]) {
            self.attempts = attempts
        }
    }

    /// A delivery with its last attempts.
    public struct DeliveryStory: Codable, Hashable, Sendable {
        public var delivery: Delivery
        /// The oldest first.
        public var attempts: [Attempt]

        public init(delivery: Delivery, attempts: [Attempt]) {
            self.delivery = delivery
            self.attempts = attempts
        }
    }

    /// The answer to a request to deliver again.
    public struct Replayed: Codable, Hashable, Sendable {
        /// Deliveries that the notifier makes once more.
        @Tolerant public var count: Int

        public init(count: Int) {
            self.count = count
        }
    }
}
