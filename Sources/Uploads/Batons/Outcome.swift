/// How a round ended.
public enum Outcome: Hashable, Sendable {
    /// The object is at the destination; the response is what the server answered, where there was one.
    case completed(StoredObject, response: ServerResponse?)
    /// The job was given up; a later round may resume from the state.
    case failed(UploadError, state: UploadState?)
    /// Cancelled, and nothing of this job is at the destination.
    case cancelled

    /// A bounded word for metrics and routing keys.
    public var label: String {
        switch self {
        case .completed: "completed"
        case .failed: "failed"
        case .cancelled: "cancelled"
        }
    }
}
