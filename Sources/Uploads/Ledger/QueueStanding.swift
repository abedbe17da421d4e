public import Foundation

/// How a transfer queue stands, by what the ledger knows.
public struct QueueStanding: Hashable, Sendable {
    public var queue: QueueName
    /// Jobs by status; those of which there is none are left out.
    public var counts: [LedgerStatus: Int]
    /// Bytes of the jobs whose round has not ended, whatever has arrived of them.
    public var bytesLeft: Int64
    /// When the oldest of the jobs that are queued or waiting was enqueued.
    public var oldestWaiting: Date?
    /// What ended within the last minutes that were asked for, newest last; minutes in which nothing did are left out.
    public var throughput: [ThroughputMinute]

    public init(
        queue: QueueName, counts: [LedgerStatus: Int] = [:], bytesLeft: Int64 = 0, oldestWaiting: Date? = nil,
        throughput: [ThroughputMinute] = []
    ) {
        self.queue = queue
        self.counts = counts
        self.bytesLeft = bytesLeft
        self.oldestWaiting = oldestWaiting
        self.throughput = throughput
    }

    /// Jobs whose round has not ended.
    public var live: Int { counts.lazy.filter { !$0.key.isEnd }.map(\.value).sumSaturating() }

    /// Seconds until all live jobs are done if they go on as in these minutes; nil where nothing tells.
    /// - Parameter window: the seconds that ``throughput`` covers, above 0.
    public func secondsLeft(window: TimeInterval) -> TimeInterval? {
        guard live > 0 else { return 0 }
        let done = throughput.reduce(into: (jobs: 0, bytes: Int64(0))) { sum, minute in
            sum.jobs = sum.jobs.addingSaturating(minute.completed)
            sum.bytes = sum.bytes.addingSaturating(minute.bytes)
        }
        guard done.jobs > 0, window > 0 else { return nil }
        let byCount = Double(live) / Double(done.jobs) * window
        // Many small jobs cost by the piece, big ones by the byte: the slower of both is nearer to the truth.
        guard done.bytes > 0 else { return byCount }
        return max(byCount, Double(bytesLeft) / Double(done.bytes) * window)
    }
}
