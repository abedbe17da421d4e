import Foundation
import Uploads

/// Decides what a worker reports of itself, and when: a pure value.
///
/// Reports the first look, each change of the state, and otherwise the state every ``WorkerReport/interval``.
struct WorkerBook: Sendable {
    /// The state of a worker at one look.
    struct Facts: Hashable, Sendable {
        var state: WorkerReport.State
        var slotsUsed = 0
        var jobs: [WorkerReport.RunningJob] = []
        /// Since the worker began; never falls.
        var bytesSent = 0
    }

    /// Seconds over which a rate is measured at least.
    private static let rateSecondsMinimum: TimeInterval = 1

    private let configuration: WorkerConfiguration
    private let startedAt: Date
    private var last: (report: WorkerReport, bytes: Int, measuredAt: Date)?

    init(_ configuration: WorkerConfiguration, startedAt: Date) {
        self.configuration = configuration
        self.startedAt = startedAt
    }

    /// - Returns: the report that is due after a look at the worker; nil if none is.
    mutating func due(_ facts: Facts, at now: Date) -> WorkerReport? {
        if let last, last.report.state == facts.state {
            let age = now.timeIntervalSince(last.report.at)
            // A clock that was set back must not silence the worker.
            guard age >= WorkerReport.interval || age < 0 else { return nil }
        }
        var report = WorkerReport(
            worker: configuration.name, host: configuration.host, version: configuration.version,
            commit: configuration.commit, queues: configuration.queues, state: facts.state, slotsUsed: facts.slotsUsed,
            slots: configuration.concurrency, jobs: facts.jobs, startedAt: startedAt, at: now)
        guard let last else {
            self.last = (report, facts.bytesSent, now)
            return report
        }
        let seconds = now.timeIntervalSince(last.measuredAt)
        if seconds >= Self.rateSecondsMinimum {
            report.bytesPerSecond = (Double(max(0, facts.bytesSent - last.bytes)) / seconds).rounded()
            self.last = (report, facts.bytesSent, now)
        } else {
            report.bytesPerSecond = last.report.bytesPerSecond
            // After a clock that was set back, the measurement begins anew.
            self.last = (report, last.bytes, min(last.measuredAt, now))
        }
        return report
    }
}
