/// The updates of one upload: see ``UploadHandle/updates``.
public struct UploadUpdates: AsyncSequence, Sendable {
    public typealias Element = UploadUpdate
    public typealias Failure = Never

    private let progress: UploadProgress

    init(_ progress: UploadProgress) { self.progress = progress }

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(progress: progress, updates: progress.subscribe())
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let progress: UploadProgress
        fileprivate var updates: AsyncStream<UploadUpdate>.AsyncIterator

        init(progress: UploadProgress, updates: AsyncStream<UploadUpdate>) {
            self.progress = progress
            self.updates = updates.makeAsyncIterator()
        }

        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> UploadUpdate? {
            let update = await updates.next(isolation: actor)
            // A reader that has got the end has taken the outcome.
            if let update, update.status.isEnd { progress.wasTaken() }
            return update
        }

        public mutating func next() async -> UploadUpdate? { await next(isolation: nil) }
    }
}
