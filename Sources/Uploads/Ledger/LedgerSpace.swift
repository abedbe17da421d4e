/// How much room a ledger takes.
public struct LedgerSpace: Hashable, Sendable {
    public var bytes: Int64
    /// What the ledger's file system has free for it; nil where this host cannot see that.
    public var freeBytes: Int64?

    public init(bytes: Int64, freeBytes: Int64? = nil) {
        self.bytes = bytes
        self.freeBytes = freeBytes
    }
}
