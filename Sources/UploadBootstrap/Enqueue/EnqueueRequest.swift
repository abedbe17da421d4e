public import Uploads

/// A request of `enqueue-upload`.
public struct EnqueueRequest: Sendable {
    /// Files, directories, http(s) and data URLs, or `-` for standard input.
    public var paths: [FilePath]
    /// The destination at which the paths are keys; nil: the paths are files and URLs.
    public var from: DestinationName?
    public var destination: DestinationArgument
    public var queue = QueueName.standard
    public var priority = Lane.normal
    /// The media type of all files; nil derives it from each file's extension.
    public var contentType: String?
    public var metadata: [String: String] = [:]
    public var properties = ObjectProperties()
    public var ifExists = IfExists.replace
    /// Whether workers read each object back and compare it before its upload counts as completed.
    public var verify = false
    /// Whether the jobs get the SHA-256 of their bytes, too.
    public var sha256 = false
    /// Which files of directories are enqueued.
    public var filter = PathFilter()
    /// Whether files of directories that cannot be read are named and left out, instead of refusing the command.
    public var skipsErrors = false
    /// How files are compared with the objects at the destination, so that only new and changed ones are enqueued; nil: all are.
    public var changed: ChangeTest?
    /// Whether files are copied into the staging area; otherwise workers read the original files.
    public var stages = true
    /// Whether each file is removed once its job is accepted.
    public var moves = false
    public var maxAttempts: Int?
    public var schedule = EnqueueSchedule()
    /// A name for jobs that belong together.
    public var batch: String?
    /// Uploads with the same key count as one upload. Allowed only with a single upload.
    public var idempotencyKey: String?
    /// The place of the first job in the serial line of the queue; the others follow it. nil: the jobs belong to no serial line.
    public var serial: SerialPosition?
    /// Whether jobs are kept in the outbox of the staging area while the broker is unreachable.
    public var usesOutbox = true
    /// A file with one upload a line, or `-` for standard input.
    public var manifest: FilePath?
    public var waits = false
    public var format = ListingFormat.ids

    public init(paths: [FilePath], destination: DestinationArgument) {
        self.paths = paths
        self.destination = destination
    }

    var printsJSON: Bool { format != .ids }
}
