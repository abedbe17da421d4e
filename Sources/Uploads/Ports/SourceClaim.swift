/// What came of opening a job's source.
public enum SourceClaim: Sendable {
    /// Opened, and locked where its kind has a lock.
    case claimed(any UploadSource)
    /// Another slice works on it: try again in 10 s, not an attempt.
    case busy
    /// There is no such staged copy: never complete; probe, and fail if nothing is there.
    case gone
    /// This worker does not serve that staging area (yet): wait, not an attempt.
    case unknownArea(String)
    /// This worker does not know the destination that the object lies at (yet): wait, not an attempt.
    case unknownOrigin(String)
}
