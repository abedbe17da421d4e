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
    case completed(UploadReceipt)
    case failed(UploadFailure)
    case cancelled

    /// Whether the round is over.
    public var isEnd: Bool {
        switch self {
        case .completed, .failed, .cancelled: true
        case .queued, .running, .waiting, .paused: false
        }
    }
}
