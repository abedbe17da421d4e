import Synchronization
import Uploads

/// Publications beside the recording of the next batch: those of one batch after those of the batch before.
final class OrderedPublications: Sendable {
    private typealias Publishing = Task<Result<Void, UploadError>, Never>

    private let last = Mutex<Publishing?>(nil)

    /// Begins when all before is confirmed, and fails where that failed: what is told of a job keeps its order.
    /// - Returns: returns when it is confirmed. Cancelling who waits for it cancels it.
    func add(_ publish: @escaping @Sendable () async throws(UploadError) -> Void) -> NotifierBus.BatchEnd {
        let publishing = last.withLock { last in
            let next = Publishing { [before = last] in
                if let before, case .failure(let failure) = await Self.end(of: before) { return .failure(failure) }
                do throws(UploadError) {
                    return .success(try await publish())
                } catch {
                    return .failure(error)
                }
            }
            last = next
            return next
        }
        return { try await Self.end(of: publishing).get() }
    }

    /// Returns when all is confirmed.
    /// - Throws: what a publication failed with since the last ``end()``.
    func told() async throws(UploadError) {
        guard let publishing = last.withLock({ $0 }) else { return }
        try await Self.end(of: publishing).get()
    }

    /// Waits until nothing is published any more, and begins anew.
    func end() async {
        guard let publishing = last.withLock({ $0 }) else { return }
        _ = await Self.end(of: publishing)
        last.withLock { $0 = nil }
    }

    private static func end(of publishing: Publishing) async -> Result<Void, UploadError> {
        await withTaskCancellationHandler {
            await publishing.value
        } onCancel: {
            publishing.cancel()
        }
    }
}
