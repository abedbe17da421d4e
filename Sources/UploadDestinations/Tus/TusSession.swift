import Foundation
import Uploads

/// An upload in progress: one part after the other. Any worker that knows its URL can continue it.
final class TusSession: UploadSession {
    let plan: PartPlan

    private let stream: TusStream
    private let current: TusState

    /// - Parameter isAlone: whether the worker sends one part at a time. If not, the file is a single part, so that no two requests meet at
    ///   one upload.
    init(_ stream: TusStream, _ state: TusState, isAlone: Bool = true) {
        self.stream = stream
        current = state
        let size = stream.upload.job.size
        plan = PartPlan(size: size, partSize: isAlone ? state.partBytes : max(size, 1))
    }

    var state: UploadState? { current.uploadState }

    /// Once the upload of an empty file is made, nothing is missing.
    var missing: [Part] { plan.missing(after: stream.reached) }

    func upload(
        _ part: Part, from source: any UploadSource, sent: @escaping @Sendable (Int) -> Void
    ) async throws(UploadError) {
        try await stream.bring(to: part.range.upperBound, from: source, sent: sent)
    }

    /// The server makes a new place for each upload, which cannot have an object yet, so every condition holds.
    func complete(_ condition: WriteCondition) async throws(UploadError) -> CompletedUpload {
        let reached = try await stream.settled()
        guard reached == plan.size else { throw stream.upload.incomplete(reached) }
        return CompletedUpload(stream.upload.object, response: stream.response)
    }

    func close() async {}
}
