import Foundation
import Uploads

/// An upload under way: one part after the other, from whoever holds its URL.
final class TusSession: UploadSession {
    let plan: PartPlan

    private let stream: TusStream
    private let current: TusState

    /// - Parameter isAlone: whether parts come one after the other. If not, what is missing is told as one part.
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

    /// Nothing could lie where the server makes a new place for each upload, so every condition holds.
    func complete(_ condition: WriteCondition) async throws(UploadError) -> CompletedUpload {
        let reached = try await stream.settled()
        guard reached == plan.size else { throw stream.upload.incomplete(reached) }
        return CompletedUpload(stream.upload.object, response: stream.response)
    }

    func close() async {}
}
