import LinuxFiles
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
    /// Whether a file system must be mounted at the root: without it the directory below the mount point would take the files.
    public var requiresMount: Bool
    /// A file below the root that must be there, by its relative path: proof that the right disk is. nil: none.
    public var marker: String?

    public init(
        path: String, limits: TransferLimits = TransferLimits(), partBytes: Int64 = PartPlan.blockBytes,
        fileMode: UInt32 = 0o644, usesExtendedAttributes: Bool = true,
        requiresMount: Bool = false, marker: String? = nil
    ) {
        precondition(partBytes > 0)
        self.path = path
        self.limits = limits
        self.partBytes = partBytes
        self.fileMode = fileMode
        self.usesExtendedAttributes = usesExtendedAttributes
        self.requiresMount = requiresMount
        self.marker = marker
    }

    /// - Throws: `destinationAway` where what lies there is not the destination.
    func check(_ root: Directory) throws(UploadError) {
        if requiresMount, !root.isMountPoint {
            throw UploadError(.destinationAway, "nothing is mounted at \(path): mount its file system")
        }
        if let marker, !root.hasFile(beneath: marker) {
            throw UploadError(
                .destinationAway,
                "\(path) has no file '\(marker)': mount the right file system there, or put the file back")
        }
    }
}
