import Foundation
import Uploads

/// The metrics of the whole pool that have labels, by the values of these: a pure value.
struct PoolFigures: Equatable, Sendable {
    /// By queue and status.
    var jobs: [[String]: Double] = [:]
    /// Messages that wait, by queue and lane.
    var depths: [[String]: Double] = [:]
    /// Those that take jobs, by queue.
    var workers: [[String]: Double] = [:]
    /// Those that report themselves, by state.
    var liveWorkers: [[String]: Double] = [:]
    /// Bytes that are left to send, and seconds that one worker would need for all that is left, by queue.
    var workBytes: [[String]: Double] = [:]
    var workSeconds: [[String]: Double] = [:]
    /// Seconds, by queue and lane.
    var ages: [[String]: Double] = [:]

    mutating func add(_ load: QueueLoad, as queue: String) {
        for status in LedgerStatus.allCases {
            jobs[[queue, status.rawValue], default: 0] += Double(load.counts[status] ?? 0)
        }
    }

    mutating func add(_ pace: QueuePace, of load: QueueLoad, as queue: String) {
        workBytes[[queue], default: 0] += pace.bytesLeft(of: load)
        if let seconds = pace.workerSecondsLeft(of: load) { workSeconds[[queue], default: 0] += seconds }
    }

    mutating func add(_ lanes: [Lane: LaneDepth], as queue: String) {
        for (lane, depth) in lanes { depths[[queue, lane.rawValue], default: 0] += Double(depth.messages) }
    }

    /// - Parameter labels: of the queues that have jobs.
    mutating func add(_ live: [LatestWorkers.Entry], _ labels: [QueueName: String]) {
        for state in [WorkerReport.State.running, .draining, .drained] {
            liveWorkers[[state.rawValue]] = Double(live.count { $0.report.state == state })
        }
        // A busy worker has several consumers of a lane, so that the broker cannot tell the number of workers.
        for label in labels.values { workers[[label]] = 0 }
        for worker in live where worker.report.state == .running {
            for label in Set(worker.report.queues.compactMap { labels[$0] }) { workers[[label], default: 0] += 1 }
        }
    }

    /// - Parameter jobs: queued jobs, of which some may not be due yet.
    mutating func add(oldestOf jobs: [LedgerJob], as queue: String, now: Date) {
        for job in jobs {
            let age = now.timeIntervalSince(max(job.baton.job.enqueuedAt, job.baton.job.notBefore ?? .distantPast))
            guard age >= 0 else { continue }
            let lane = job.baton.state == nil ? job.baton.job.priority : .continued
            ages[[queue, lane.rawValue]] = max(age, ages[[queue, lane.rawValue]] ?? 0)
        }
    }
}
