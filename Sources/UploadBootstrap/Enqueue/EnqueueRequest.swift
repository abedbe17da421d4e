public import Uploads

/// What `enqueue-upload` was asked to do.
public struct EnqueueRequest: Sendable {
    /// Files, directories, or `-` for standard input.
    public var paths: [String]
    public var destination: DestinationArgument
    public var queue = QueueName.standard
    public var priority = Lane.normal
    /// nil goes by the extension.
    public var contentType: String?
    public var metadata: [String: String] = [:]
    /// Whether files are copied into the staging area, or uploaded from where they lie.
    public var stages = true
    public var maxAttempts: Int?
    /// A file of one upload a line, or `-`.
    public var manifest: String?
    public var waits = false
    public var printsJSON = false

    public init(paths: [String], destination: DestinationArgument) {
        self.paths = paths
        self.destination = destination
    }
}
