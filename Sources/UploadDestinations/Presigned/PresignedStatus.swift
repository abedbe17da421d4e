public import Foundation

/// The call (GET) by which the driver asks the endpoint about an upload.
public struct PresignedStatus: Hashable, Sendable {
    /// The URL, with `{id}` for the upload's id and `{job}` for the job's.
    public var url: String
    /// Path of the status in the JSON answer.
    public var path: String
    /// Statuses that end the job successfully (`done`), and statuses that fail it (`failed`).
    public var done: Set<String>
    public var failed: Set<String>
    /// Statuses of an upload that was not reported as complete yet.
    public var open: Set<String>
    /// Seconds until the driver asks again after any other status, 1 or more.
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
