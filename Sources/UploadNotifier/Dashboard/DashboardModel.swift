import Foundation
import Uploads

/// All that the dashboard shows at one moment: plain values, rendered by ``DashboardPage``.
struct DashboardModel: Sendable {
    /// Most jobs of a list; the counts are of all.
    static let listMaximum = 20
    /// Minutes of the charts.
    static let minutesCount = 60
    /// Seconds over which rates and the time left are reckoned.
    static let window: TimeInterval = 600

    struct Running: Sendable {
        var job: JobView
        /// Bytes, never more than the job's size.
        var bytesDone: Int64
        /// nil while nobody has told.
        var bytesPerSecond: Double?

        /// nil where nothing tells.
        var secondsLeft: TimeInterval? {
            guard let rate = bytesPerSecond, rate >= 1 else { return nil }
            return Double(job.size - bytesDone) / rate
        }
    }

    var at: Date
    /// What stands in the way, as sentences: the broker cannot be asked, say.
    var problems: [String] = []
    /// Whether orders can be given.
    var isBrokerThere = true
    var counts: [LedgerStatus: Int] = [:]
    var queues: [QueueView] = []
    /// The last ``minutesCount`` minutes, those in which nothing ended included; oldest first.
    var minutes: [ThroughputMinute] = []
    /// In the order in which they began.
    var running: [Running] = []
    /// The last to fail first.
    var failures: [JobView] = []
    var delegates: [DelegateView] = []
    var destinations: [DestinationView] = []
    /// Those that were not replayed.
    var deadLetters = 0

    /// Bytes per second of completed jobs over the last ten minutes.
    var bytesPerSecond: Double { queues.reduce(0) { $0 + $1.bytesPerSecond } }

    /// Every minute of a time, with what ended in it over all queues.
    static func minutes(of loads: [QueueLoad], until now: Date) -> [ThroughputMinute] {
        let last = Int((now.timeIntervalSince1970 / 60).rounded(.down))
        var minutes = (0..<minutesCount).map { index in
            ThroughputMinute(start: Date(timeIntervalSince1970: Double(last - minutesCount + 1 + index) * 60))
        }
        for minute in loads.flatMap(\.throughput) {
            // When a job ended is what its worker said: any time at all.
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
