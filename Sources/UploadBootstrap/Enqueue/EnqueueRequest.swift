public import Uploads

/// What `enqueue-upload` was asked to do.
public struct EnqueueRequest: Sendable {
    /// Files, directories, http(s) and data URLs, or `-` for standard input.
    public var paths: [FilePath]
    /// The destination at which paths are keys; nil: they are files and URLs.
    public var from: DestinationName?
    public var destination: DestinationArgument
    public var queue = QueueName.standard
    public var priority = Lane.normal
    /// nil goes by the extension.
    public var contentType: String?
    public var metadata: [String: String] = [:]
    public var properties = ObjectProperties()
    public var ifExists = IfExists.replace
    /// Whether objects are read back and compared before an upload counts as completed.
    public var verify = false
    /// Whether files are copied into the staging area, or uploaded from where they lie.
    public var stages = true
    public var maxAttempts: Int?
    public var schedule = EnqueueSchedule()
    /// A name for jobs that belong together.
    public var batch: String?
    /// Uploads with the same key are one upload. Only with a single upload.
    public var idempotencyKey: String?
    /// Where the jobs enter the serial line of the queue, the first of them if there are several; nil: they belong to none.
    public var serial: SerialPosition?
    /// Whether jobs are kept in the staging area while the broker is away.
    public var usesOutbox = true
    /// A file of one upload a line, or `-`.
    public var manifest: FilePath?
    public var waits = false
    public var printsJSON = false

    public init(paths: [FilePath], destination: DestinationArgument) {
        self.paths = paths
        self.destination = destination
    }
}
