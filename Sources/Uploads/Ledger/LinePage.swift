/// A part of a serial line, in its order.
public struct LinePage: Hashable, Sendable {
    /// A job of the line.
    public struct Entry: Hashable, Sendable {
        public var job: LedgerJob
        /// How many that wait are ahead of it; nil for one that is on its way.
        public var position: Int?

        public init(job: LedgerJob, position: Int?) {
            self.job = job
            self.position = position
        }
    }

    /// On the first page first what is on its way.
    public var entries: [Entry]
    /// How many wait in the whole line.
    public var waiting: Int
    /// `after` of the next page; nil on the last. It means nothing by itself.
    public var next: Int64?

    public init(entries: [Entry], waiting: Int, next: Int64?) {
        self.entries = entries
        self.waiting = waiting
        self.next = next
    }
}
