import NIOPosix
import Synchronization

/// Where calls that block run: a bounded pool of threads of its own, never the cooperative pool, and not the one on which
/// names are resolved, so that a slow disk holds up nothing else.
public enum Blocking {
    public static let threadCount = 8

    private static let pool: NIOThreadPool = {
        let pool = NIOThreadPool(numberOfThreads: threadCount)
        pool.start()
        return pool
    }()

    /// Counts what has run. Its only use is the order that it gives to memory: where a body ends before its caller has suspended, the
    /// runtime hands the result over by an atomic of its own that the Thread Sanitizer does not see, and it then takes the caller's first
    /// look at the result for a race with the body.
    private static let endedCount = Atomic<UInt64>(0)

    /// Runs the body on the pool. It is not cut short by cancellation: a body is one bounded step, and clean-up must run.
    public static func run<Success: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> Success
    ) async throws(Failure) -> Success {
        let result: Result<Success, Failure> = await withCheckedContinuation { continuation in
            pool.submit { _ in
                let result = Result(catching: body)
                endedCount.wrappingAdd(1, ordering: .releasing)
                continuation.resume(returning: result)
            }
        }
        _ = endedCount.load(ordering: .acquiring)
        return try result.get()
    }
}
