import LinuxFiles
public import Uploads

/// A directory as destination: on a local disk, or on a mounted file system.
public struct DirectoryConfiguration: Hashable, Sendable {
    /// The root, absolute; it must exist. Keys are paths below it. A `file:///…` URL must lead below it too.
    public var path: String
    public var limits: TransferLimits
    /// Bytes of a part, 8 MiB by default; grown for files of more than 100,000 parts.
    public var partBytes: Int64
    /// Permission bits of stored files, 0644 by default.
    public var fileMode: UInt32
    /// Whether the job's id is kept in an extended attribute of the stored file. When this is false, and on file systems without such
    /// attributes, a side file keeps it.
    public var usesExtendedAttributes: Bool
    /// Whether a file system must be mounted at the root: while it is not mounted, the empty directory of the mount point would take the files.
    public var requiresMount: Bool
    /// The relative path of a file below the root that must exist: it proves that the right disk is mounted. nil: no such file.
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

    /// Opens the root, if it is the right one.
    func openRoot() throws(UploadError) -> Directory {
        let root: Directory
        do {
            root = try Directory.open(path)
        } catch {
            throw UploadError(directory: error, isRoot: true)
        }
        try check(root)
        return root
    }

    /// - Throws: `destinationAway` where nothing is mounted at the root, or the marker is missing.
    private func check(_ root: Directory) throws(UploadError) {
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
