/// What an order with a filter would be about, for those who ask before they give it.
public struct OrderPreview: Hashable, Sendable {
    /// What is counted at most, so that an answer takes milliseconds with millions of jobs.
    public struct Bounds: Hashable, Sendable {
        /// The most jobs that are counted in an index.
        public var countMaximum = 20_000
        /// The most jobs that are examined for a text.
        public var examinedMaximum = 3000

        public init() {}
    }

    /// Jobs that match, in a status that permits the verb.
    public var matched: Int
    /// Whether more may match than were counted.
    public var mayBeMore: Bool

    public init(matched: Int, mayBeMore: Bool = false) {
        self.matched = matched
        self.mayBeMore = mayBeMore
    }

    /// - Parameter limit: the number of jobs up to which they were counted.
    package init(counting found: Int, limit: Int) {
        self.init(matched: min(found, limit - 1), mayBeMore: found >= limit)
    }

    /// - Parameter forgotten: those among all that match that are forgotten, counted up to the limit as well.
    /// - Returns: nil if that does not tell how many are left.
    package init?(counting found: Int, limit: Int, without forgotten: Int) {
        guard found < limit || forgotten < limit else { return nil }
        self.init(counting: found, limit: limit)
        matched = max(0, matched - forgotten)
    }
}
