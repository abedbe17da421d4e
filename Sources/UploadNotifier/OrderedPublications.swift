import Synchronization
import Uploads

/// Publishes the outcomes of a batch while the next batch is recorded: those of one batch after those of the batch before.
final class OrderedPublications: Sendable {
    private typealias Publishing = Task<Result<Void, UploadError>, Never>

    private let last = Mutex<Publishing?>(nil)

    /// Begins when all earlier publications are confirmed, and fails if one of them failed, so that the outcomes of a job keep their order.
    /// - Returns: a closure that returns when the publication is confirmed. Cancelling a task that waits in it cancels the publication.
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

    /// Returns when all publications are confirmed.
    /// - Throws: the error of a publication that failed since the last ``end()``.
    func waitUntilConfirmed() async throws(UploadError) {
        guard let publishing = last.withLock({ $0 }) else { return }
        try await Self.end(of: publishing).get()
    }

    /// Waits until no publication is under way, and begins anew.
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
