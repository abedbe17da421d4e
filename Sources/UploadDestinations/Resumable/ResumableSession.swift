import Foundation
import Uploads

/// An upload in progress: one part after the other. Any worker that knows its URL can continue it.
final class ResumableSession: UploadSession {
    let plan: PartPlan

    private let stream: ResumableStream

    init(_ stream: ResumableStream, partBytes: Int64) {
        self.stream = stream
        plan = PartPlan(size: stream.upload.size, partSize: partBytes)
    }

    var state: UploadState? {
        ResumableState(
            stream.upload.url, stream.upload.interop, partBytes: plan.partSize, expiry: stream.expiry
        ).uploadState
    }

    var missing: [Part] { plan.missing(after: stream.reached) }

    func upload(
        _ part: Part, from source: any UploadSource, sent: @escaping @Sendable (Int) -> Void
    ) async throws(UploadError) {
        try await stream.bring(to: part.range.upperBound, from: source, sent: sent)
    }

    /// The last part says that it is the last. The condition is always `none`: the driver cannot ask beforehand whether an object is there.
    func complete(_ condition: WriteCondition) async throws(UploadError) -> CompletedUpload {
        try await stream.completed()
    }

    func close() async {}
}
