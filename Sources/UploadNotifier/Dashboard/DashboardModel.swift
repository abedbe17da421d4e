import Foundation
import Uploads
import UploadsAPI

/// The values that the dashboard shows at one moment; ``DashboardPage`` renders them.
struct DashboardModel: Sendable {
    /// Minutes of the charts.
    static let minutesCount = 60

    struct Running: Sendable {
        var job: API.Job
        /// Bytes, never more than the job's size.
        var bytesDone: Int64
        /// nil while no worker has reported it.
        var bytesPerSecond: Double?

        /// nil while nothing moves.
        var secondsLeft: TimeInterval? {
            guard let rate = bytesPerSecond, rate >= 1 else { return nil }
            return Double(job.size - bytesDone) / rate
        }
    }

    var at: Date
    /// Problems as sentences, such as that the notifier cannot ask the broker.
    var problems: [String] = []
    /// Whether orders can be given.
    var isBrokerThere = true
    var counts: [LedgerStatus: Int] = [:]
    var queues: [API.Queue] = []
    /// The last ``minutesCount`` minutes, also those in which no job ended; oldest first.
    var minutes: [ThroughputMinute] = []
    /// In the order in which they began.
    var running: [Running] = []
    /// Failed jobs by what they have in common, the largest group first.
    var failures: [API.FailureGroup] = []
    var delegates: [API.Delegate] = []
    var destinations: [API.Destination] = []
    /// How many were not replayed.
    var deadLetters = 0

    /// What the uploads of all queues move in a second.
    var bytesPerSecond: Double { queues.reduce(0) { $0 + $1.bytesPerSecond } }

    /// The last ``minutesCount`` minutes, each with the jobs of all queues that ended in it.
    static func minutes(of loads: [QueueLoad], until now: Date) -> [ThroughputMinute] {
        let last = Int((now.timeIntervalSince1970 / 60).rounded(.down))
        var minutes = (0..<minutesCount).map { index in
            ThroughputMinute(start: Date(timeIntervalSince1970: Double(last - minutesCount + 1 + index) * 60))
        }
        for minute in loads.flatMap(\.throughput) {
            // A job's end is the time that its worker reported, so it may be any time.
            let (offset, overflows) = Int(saturating: (minute.start.timeIntervalSince1970 / 60).rounded(.down))
                .subtractingReportingOverflow(last - minutesCount + 1)
            guard !overflows, minutes.indices.contains(offset) else { continue }
            minutes[offset].completed = minutes[offset].completed.addingSaturating(minute.completed)
            minutes[offset].failed = minutes[offset].failed.addingSaturating(minute.failed)
            minutes[offset].cancelled = minutes[offset].cancelled.addingSaturating(minute.cancelled)
            minutes[offset].bytes = minutes[offset].bytes.addingSaturating(minute.bytes)
        }
        return minutes
    }
}
