/// An event with its place in the ledger.
public struct RecordedEvent: Hashable, Sendable, Identifiable {
    /// From 1, rising in the order of recording, with gaps.
    public let sequence: Int64
    public let event: UploadEvent

    public init(sequence: Int64, event: UploadEvent) {
        self.sequence = sequence
        self.event = event
    }

    public var id: Int64 { sequence }
}
