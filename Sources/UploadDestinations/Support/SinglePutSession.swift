import Synchronization
import Uploads

/// Uploads the whole file in one PUT. The PUT creates the object, so it carries the condition; completing only returns its result.
final class SinglePutSession: UploadSession {
    /// Sends the body once under a condition.
    typealias Put =
        @Sendable (
            _ part: Part, _ source: any UploadSource, _ condition: WriteCondition,
            _ sent: @escaping @Sendable (Int) -> Void
        ) async throws(UploadError) -> CompletedUpload

    let plan: PartPlan

    private let location: String
    private let put: Put
    private let progress = Mutex(Progress())

    private struct Progress {
        var condition = WriteCondition.none
        var completed: CompletedUpload?
    }

    /// - Parameter location: the object's URL as it may be shown.
    init(size: Int64, at location: String, put: @escaping Put) {
        plan = PartPlan(size: size, partSize: max(1, size))
        self.location = location
        self.put = put
    }

    /// A PUT that did not finish leaves nothing to resume.
    var state: UploadState? { nil }

    var missing: [Part] { progress.withLock { $0.completed } == nil ? Array(plan.parts) : [] }

    func prepare(for condition: WriteCondition) {
        progress.withLock { $0.condition = condition }
    }

    func upload(
        _ part: Part, from source: any UploadSource, sent: @escaping @Sendable (Int) -> Void
    ) async throws(UploadError) {
        let completed = try await put(part, source, progress.withLock { $0.condition }, sent)
        progress.withLock { $0.completed = completed }
    }

    func complete(_ condition: WriteCondition) async throws(UploadError) -> CompletedUpload {
        guard let completed = progress.withLock({ $0.completed }) else {
            throw UploadError(
                .invalidResponse, "\(location) has not been sent the file: it is sent again", retry: .afterBackoff)
        }
        return completed
    }

    func close() async {}
}
