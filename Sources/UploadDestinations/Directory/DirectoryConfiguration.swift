public import Uploads

/// A directory as destination: a local disk, or whatever is mounted there.
public struct DirectoryConfiguration: Hashable, Sendable {
    /// The root, absolute; it must exist. Keys are paths below it. A `file:///…` URL must lead below it too.
    public var path: String
    public var limits: TransferLimits
    /// Bytes of a part, 8 MiB by default; grown for files of more than 100,000 parts.
    public var partBytes: Int64
    /// Permission bits of what is stored, 0644 by default.
    public var fileMode: UInt32
    /// Whether the job's name is kept in an extended attribute of what is stored. Where the file system has none, and when this is
    /// false, it is kept in a side file.
    public var usesExtendedAttributes: Bool

    public init(
        path: String, limits: TransferLimits = TransferLimits(), partBytes: Int64 = PartPlan.blockBytes,
        fileMode: UInt32 = 0o644, usesExtendedAttributes: Bool = true
    ) {
        precondition(partBytes > 0)
        self.path = path
        self.limits = limits
        self.partBytes = partBytes
        self.fileMode = fileMode
        self.usesExtendedAttributes = usesExtendedAttributes
    }
}
