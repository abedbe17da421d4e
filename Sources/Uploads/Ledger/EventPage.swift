/// Part of what was recorded, in the order of recording.
public struct EventPage: Hashable, Sendable {
    /// Those that the filter lets through: perhaps none, though more follow.
    public var events: [RecordedEvent]
    /// How far the ledger was looked through: the next page begins after this.
    public var through: Int64
    /// Whether the ledger holds nothing beyond ``through``.
    public var isLast: Bool

    public init(events: [RecordedEvent], through: Int64, isLast: Bool) {
        self.events = events
        self.through = through
        self.isLast = isLast
    }
}
