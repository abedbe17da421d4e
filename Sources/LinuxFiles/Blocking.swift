import NIOPosix

/// Where calls that block run: a bounded pool of threads of its own, never the cooperative pool, and not the one on which
/// names are resolved, so that a slow disk holds up nothing else.
public enum Blocking {
    public static let threadCount = 8

    private static let pool: NIOThreadPool = {
        let pool = NIOThreadPool(numberOfThreads: threadCount)
        pool.start()
        return pool
    }()

    /// Runs the body on the pool. It is not cut short by cancellation: a body is one bounded step, and clean-up must run.
    public static func run<Success: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> Success
    ) async throws(Failure) -> Success {
        let result: Result<Success, Failure> = await withCheckedContinuation { continuation in
            pool.submit { _ in continuation.resume(returning: Result(catching: body)) }
        }
        return try result.get()
    }
}
