public import Foundation

/// How a transfer queue stands, by what the ledger knows.
public struct QueueLoad: Hashable, Sendable {
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

/// What ended within a minute.
public struct ThroughputMinute: Hashable, Sendable {
    /// The minute's beginning.
    public var start: Date
    public var completed: Int
    public var failed: Int
    public var cancelled: Int
    /// Bytes of the completed jobs.
    public var bytes: Int64

    public init(start: Date, completed: Int = 0, failed: Int = 0, cancelled: Int = 0, bytes: Int64 = 0) {
        self.start = start
        self.completed = completed
        self.failed = failed
        self.cancelled = cancelled
        self.bytes = bytes
    }
}

/// What waits in a lane, and who takes from it.
public struct LaneDepth: Codable, Hashable, Sendable {
    /// Messages that wait, without those that were delivered and are not settled yet.
    public var messages: Int
    /// Channels of workers that take from it.
    public var consumers: Int

    public init(messages: Int, consumers: Int) {
        self.messages = messages
        self.consumers = consumers
    }
}

/// Transfer queues of which jobs are held, as far as the ledger was looked through.
public struct HeldQueues: Hashable, Sendable {
    /// Those that have a job whose time has come.
    public var due: [QueueName]
    /// The queue behind which to go on; nil when none is left.
    public var next: QueueName?

    public init(due: [QueueName], next: QueueName?) {
        self.due = due
        self.next = next
    }
}

/// How the jobs of a destination stand, by what the ledger knows.
public struct DestinationLoad: Hashable, Sendable {
    /// The destination's label: its configured name, or the scheme of a URL.
    public var destination: String
    /// Jobs by status; those of which there is none are left out.
    public var counts: [LedgerStatus: Int]
    /// Bytes of the jobs whose round has not ended, whatever has arrived of them.
    public var bytesLeft: Int64

    public init(destination: String, counts: [LedgerStatus: Int] = [:], bytesLeft: Int64 = 0) {
        self.destination = destination
        self.counts = counts
        self.bytesLeft = bytesLeft
    }
}
