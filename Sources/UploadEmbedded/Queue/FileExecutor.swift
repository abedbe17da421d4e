import Foundation

/// Runs an actor whose steps write files: one step after the other, on a thread that may block, never one of the
/// cooperative pool.
final class FileExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "longshore.local-queue")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in job.runSynchronously(on: asUnownedSerialExecutor()) }
    }
}
