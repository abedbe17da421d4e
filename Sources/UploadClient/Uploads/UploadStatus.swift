public import Foundation
public import Uploads

/// How an upload stands.
public enum UploadStatus: Sendable {
    /// Accepted and durable; nobody works on it.
    case queued
    case running
    /// Until when at most, the wait reason's word (`retry`, `circuitOpen`, `limited` …), and the failure that made it wait.
    case waiting(until: Date?, reason: String?, UploadError?)
    case paused
    /// Is being cancelled, and ends soon. Until when at most it waits for a worker that may not have heard of that and be sending
    /// still; nil while it does not wait.
    case cancelling(until: Date?)
    case completed(UploadReceipt)
    case failed(UploadFailure)
    case cancelled

    /// Whether the round is over.
    public var isEnd: Bool {
        switch self {
        case .completed, .failed, .cancelled: true
        case .queued, .running, .waiting, .paused, .cancelling: false
        }
    }
}
