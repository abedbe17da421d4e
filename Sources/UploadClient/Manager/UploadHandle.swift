public import Uploads

/// A started upload, as this process follows it. Dropping the handle changes nothing for the upload.
public struct UploadHandle: Sendable, Identifiable {
    private let progress: UploadProgress
    private let orders: @Sendable (Verb) async throws(UploadError) -> Void

    package init(_ progress: UploadProgress, orders: @escaping @Sendable (Verb) async throws(UploadError) -> Void) {
        self.progress = progress
        self.orders = orders
    }

    public var id: JobID { progress.id }

    /// The state that this process knows now.
    public var latest: UploadUpdate { progress.latest }

    /// The state now, then every change of it; the last element is the outcome. A slow reader misses progress in
    /// between, never the outcome. May be iterated more than once, each time with a stream of its own.
    public var updates: UploadUpdates { UploadUpdates(progress) }

    /// Waits for the outcome.
    /// - Throws: ``UploadFailure``: why it failed, with the state to resume it with; `cancelled`; `interrupted` when
    ///   the waiting task is cancelled or the manager closed first: the upload itself goes on.
    public var completion: UploadReceipt {
        get async throws(UploadFailure) {
            for await update in updates {
                switch update.status {
                case .completed(let receipt): return receipt
                case .failed(let failure): throw failure
                case .cancelled: throw UploadFailure(UploadError(.cancelled, "the upload was cancelled"), state: nil)
                case .queued, .running, .waiting, .paused, .cancelling: continue
                }
            }
            throw UploadFailure(
                UploadError(
                    .interrupted, "the wait for the upload \(id) ended before the upload did; the upload goes on"),
                state: nil)
        }
    }

    /// Stops the upload and removes its unfinished parts at the destination. It ends as cancelled, or as completed if
    /// the order came too late.
    public func cancel() async throws(UploadError) { try await orders(.cancel) }
    /// Holds the upload at its present point.
    public func pause() async throws(UploadError) { try await orders(.pause) }
    public func resume() async throws(UploadError) { try await orders(.resume) }
    /// Puts the upload ahead of all others.
    public func runNow() async throws(UploadError) { try await orders(.runNow) }

    func call(
        back onProgress: (@Sendable (Int64, Int64) -> Void)?,
        _ onSuccess: @escaping @Sendable (UploadReceipt) -> Void,
        _ onError: @escaping @Sendable (UploadFailure) -> Void
    ) {
        let updates = updates
        Task {
            var last: Int64?
            for await update in updates {
                if let onProgress, update.bytesDone != last {
                    onProgress(update.bytesDone, update.bytesTotal)
                    last = update.bytesDone
                }
                switch update.status {
                case .completed(let receipt): onSuccess(receipt)
                case .failed(let failure): onError(failure)
                case .cancelled:
                    onError(UploadFailure(UploadError(.cancelled, "the upload was cancelled"), state: nil))
                case .queued, .running, .waiting, .paused, .cancelling: break
                }
            }
        }
    }
}
