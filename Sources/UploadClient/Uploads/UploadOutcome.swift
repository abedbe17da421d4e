public import Foundation
public import Uploads

/// How one round of an upload ended.
public struct UploadOutcome: Sendable, Identifiable {
    /// The same at every delivery of this outcome: `<job>.<round>.ended`.
    public let id: String
    /// The job, without inline bytes and without the query of a URL.
    public let job: UploadJob
    /// From 1.
    public let round: Int
    public let endedAt: Date
    public let result: Result<UploadReceipt, UploadFailure>

    /// - Returns: nil for an event that is not an end.
    package init?(_ event: UploadEvent) {
        let baton = event.data.baton
        switch event.kind {
        case .completed:
            let object = event.data.object ?? StoredObject(location: baton.job.destination.displayText)
            result = .success(UploadReceipt(object: object, response: event.data.response))
        case .failed:
            result = .failure(
                UploadFailure(
                    event.data.error ?? UploadError(.unknown, "the upload failed without a reason"),
                    state: ResumableUpload(job: baton.job, round: baton.round, state: baton.state)))
        case .cancelled:
            result = .failure(UploadFailure(UploadError(.cancelled, "the upload was cancelled"), state: nil))
        default: return nil
        }
        id = event.asOutcome.id
        job = baton.job.redacted
        round = baton.round
        endedAt = event.data.endedAt ?? event.time
    }

    public var isCompleted: Bool { if case .success = result { true } else { false } }

    var status: UploadStatus {
        switch result {
        case .success(let receipt): .completed(receipt)
        case .failure(let failure): failure.reason == .cancelled ? .cancelled : .failed(failure)
        }
    }
}
