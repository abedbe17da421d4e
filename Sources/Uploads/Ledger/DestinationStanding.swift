/// How the jobs of a destination stand, by what the ledger knows.
public struct DestinationStanding: Hashable, Sendable {
    /// The destination's label: its configured name, or the scheme of a URL.
    public var destination: String
    /// Jobs by status; those of which there is none are left out.
    public var counts: [LedgerStatus: Int]
    /// Bytes of the jobs whose round has not ended, whatever has arrived of them.
    public var bytesLeft: Int64

    public init(destination: String, counts: [LedgerStatus: Int] = [:], bytesLeft: Int64 = 0) {
        self.destination = destination
        self.counts = counts
        self.bytesLeft = bytesLeft
    }
}
