extension API {
    /// The notifier's decision on an order.
    public struct OrderAnswer: Codable, Hashable, Sendable {
        /// The order's id, a UUID.
        public var order: String
        /// Whether the notifier has decided; if not, the order waits in the notifier's queue, and holds.
        public var isDecided: Bool
        /// Whether the order was only asked about: nothing has changed, and no job obeys. nil for an order that was given.
        public var dryRun: Bool?
        /// Jobs, queues or workers that the order was about; nil until it is decided.
        public var matched: Int?
        /// Whether more may match than were counted, when an order was only asked about; nil: `matched` is exact.
        public var mayBeMore: Bool?
        /// How many of them obey; nil until it is decided.
        public var done: Int?
        /// The first 1000; nil until it is decided.
        public var jobs: [OrderedJob]?

        public init(
            order: String, isDecided: Bool, dryRun: Bool? = nil, matched: Int? = nil, mayBeMore: Bool? = nil,
            done: Int? = nil, jobs: [OrderedJob]? = nil
        ) {
            self.order = order
            self.isDecided = isDecided
            self.dryRun = dryRun
            self.matched = matched
            self.mayBeMore = mayBeMore
            self.done = done
            self.jobs = jobs
        }
    }

    /// The decision for one job of an order.
    public struct OrderedJob: Codable, Hashable, Sendable {
        /// A UUID.
        public var id: String
        public var done: Bool
        /// Why the job does not obey; nil if it does.
        public var reason: String?
        /// Of an order to run again or to discard: the round that is to come or under way.
        public var round: Int?

        public init(id: String, done: Bool, reason: String? = nil, round: Int? = nil) {
            self.id = id
            self.done = done
            self.reason = reason
            self.round = round
        }
    }
}
