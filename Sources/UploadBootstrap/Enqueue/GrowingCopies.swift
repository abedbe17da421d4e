import Synchronization
import Uploads

/// The copies of large files that are made while their jobs are published: a few at once.
final class GrowingCopies: Sendable {
    private let maker: JobMaker
    private let interruption: Interruption
    private let places: AsyncLock
    private let tasks = Mutex<[Int: Task<Void, Never>]>([:])
    private let problems = Mutex<[Int: UploadError]>([:])

    init(_ maker: JobMaker, _ interruption: Interruption) {
        self.maker = maker
        places = AsyncLock(places: maker.copiesAtOnce)
        self.interruption = interruption
    }

    /// Begins the copy of a large file; does nothing for other uploads.
    /// - Returns: when the job may be published.
    func begin(_ index: Int) async throws(UploadError) {
        guard try maker.plan.file.row(at: index).reading == .whilePublished else { return }
        let (beginnings, beginning) = AsyncStream.makeStream(of: Void.self)
        let task = Task { [self] in
            await places.withLock {
                do {
                    try await interruption.cancelling { [maker] in
                        try await maker.copy(at: index) { beginning.yield() }
                    }
                } catch {
                    problems.withLock { $0[index] = error as? UploadError ?? .interruptedCopy }
                }
            }
            beginning.finish()
        }
        tasks.withLock { $0[index] = task }
        for await _ in beginnings { return }
        try await finish(index)
    }

    /// Waits until a copy is complete and durable.
    /// - Throws: the error that ended it before.
    func finish(_ index: Int) async throws(UploadError) {
        guard let task = tasks.withLock({ $0[index] }) else { return }
        await task.value
        if let problem = problems.withLock({ $0[index] }) { throw problem }
    }

    /// Ends copies whose jobs were not published.
    func cancel(_ indices: [Int]) async {
        for index in indices {
            guard let task = tasks.withLock({ $0[index] }) else { continue }
            task.cancel()
            await task.value
        }
    }
}

extension UploadError {
    fileprivate static let interruptedCopy = UploadError(.interrupted, "copying was interrupted")
}
