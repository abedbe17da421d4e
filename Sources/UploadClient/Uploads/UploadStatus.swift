public import Foundation
public import Uploads

/// The state of an upload.
public enum UploadStatus: Sendable {
    /// Accepted and durable; no worker has it.
    case queued
    case running
    /// The latest time at which the wait ends, the wait reason's word (`retry`, `circuitOpen`, `limited` …), and the
    /// failure that caused the wait.
    case waiting(until: Date?, reason: String?, UploadError?)
    case paused
    /// The upload is being cancelled, and ends soon. The date is the latest time until which it waits for a worker that
    /// may not know of the cancellation and still be sending; nil while it does not wait.
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
