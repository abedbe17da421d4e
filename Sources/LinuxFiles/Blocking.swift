import NIOPosix
import Synchronization

/// Runs calls that block on a bounded pool of threads of its own, not on the cooperative pool, and not on the pool that resolves
/// host names, so that a slow disk holds up nothing else.
public enum Blocking {
    public static let threadCount = 8

    private static let pool: NIOThreadPool = {
        let pool = NIOThreadPool(numberOfThreads: threadCount)
        pool.start()
        return pool
    }()

    /// Counts the bodies that have run. Its only use is the order that it gives to memory: if a body ends before its caller has suspended,
    /// the runtime hands the result over by an atomic of its own that the Thread Sanitizer does not see, and the sanitizer then takes the
    /// caller's first look at the result for a race with the body.
    private static let endedCount = Atomic<UInt64>(0)

    /// Runs the body on the pool. Cancellation does not cut it short: a body is one bounded step, and clean-up must run.
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
