public import Foundation

/// A call (GET) that says what became of an upload.
public struct PresignedStatus: Hashable, Sendable {
    /// With `{id}` for the upload's id and `{job}` for the job's.
    public var url: String
    /// Where in the JSON answer the status stands.
    public var path: String
    /// Words that end the job well, and those that fail it.
    public var done: Set<String>
    public var failed: Set<String>
    /// Words that say that nobody has told yet that the bytes are there.
    public var open: Set<String>
    /// Seconds until it is asked again for any other word, 1 or more.
    public var askAgainSeconds: TimeInterval

    public init(
        url: String, path: String = "status", done: Set<String>, failed: Set<String> = [], open: Set<String> = [],
        askAgainSeconds: TimeInterval = 5
    ) {
        self.url = url
        self.path = path
        self.done = done
        self.failed = failed
        self.open = open
        self.askAgainSeconds = max(1, askAgainSeconds)
    }
}
