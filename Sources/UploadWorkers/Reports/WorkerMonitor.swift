import Uploads

/// Looks at a worker once a second and publishes the reports on it that its ``WorkerBook`` finds due.
struct WorkerMonitor: Sendable {
    private static let lookInterval = Duration.seconds(1)

    let runner: SliceRunner
    let slices: RunningSlices
    let state: @Sendable () -> WorkerReport.State
    let reporter: any WorkerReporter

    /// Works until the task is cancelled, and then reports that the worker has stopped.
    func run() async {
        var book = WorkerBook(runner.configuration, startedAt: runner.now())
        repeat {
            tell(state(), &book)
        } while (try? await runner.clock.sleep(for: Self.lookInterval)) != nil
        tell(.stopped, &book)
    }

    private func tell(_ state: WorkerReport.State, _ book: inout WorkerBook) {
        let facts = WorkerBook.Facts(
            state: state, slotsUsed: runner.gate.runningCount,
            jobs: slices.jobs(atMost: WorkerReport.jobCountMaximum), bytesSent: runner.traffics.bytesSent)
        if let report = book.due(facts, at: runner.now()) { reporter.tell(report) }
    }
}
