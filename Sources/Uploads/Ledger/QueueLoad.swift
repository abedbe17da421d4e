public import Foundation

/// The load of a transfer queue, by what the ledger knows.
public struct QueueLoad: Hashable, Sendable {
    public var queue: QueueName
    /// Jobs by status; statuses without jobs are left out.
    public var counts: [LedgerStatus: Int]
    /// Bytes of the jobs whose round has not ended, those that have arrived included.
    public var bytesLeft: Int64
    /// Of these, bytes of paused jobs.
    public var bytesPaused: Int64
    /// When the oldest of the jobs that are queued or waiting was enqueued.
    public var oldestWaiting: Date?
    /// The jobs that ended within the requested last minutes, newest last; minutes in which none did are left out.
    public var throughput: [ThroughputMinute]

    public init(
        queue: QueueName, counts: [LedgerStatus: Int] = [:], bytesLeft: Int64 = 0, bytesPaused: Int64 = 0,
        oldestWaiting: Date? = nil, throughput: [ThroughputMinute] = []
    ) {
        self.queue = queue
        self.counts = counts
        self.bytesLeft = bytesLeft
        self.bytesPaused = bytesPaused
        self.oldestWaiting = oldestWaiting
        self.throughput = throughput
    }

    /// Jobs whose round has not ended.
    public var live: Int { counts.lazy.filter { !$0.key.isEnd }.map(\.value).sumSaturating() }
}

/// The jobs that ended within a minute.
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

/// How many messages wait in a queue of the broker, such as a lane, and how many consumers it has.
public struct LaneDepth: Codable, Hashable, Sendable {
    /// Messages that wait, without those that were delivered and are not settled yet.
    public var messages: Int
    /// Channels that take from it: of workers, for a lane.
    public var consumers: Int

    public init(messages: Int, consumers: Int) {
        self.messages = messages
        self.consumers = consumers
    }
}

/// Transfer queues that have held jobs, from one part of the ledger.
public struct HeldQueues: Hashable, Sendable {
    /// The queues that have a job whose time has come.
    public var due: [QueueName]
    /// The queue behind which to go on; nil when none is left.
    public var next: QueueName?

    public init(due: [QueueName], next: QueueName?) {
        self.due = due
        self.next = next
    }
}

/// The load of a destination, by what the ledger knows.
public struct DestinationLoad: Hashable, Sendable {
    /// The destination's label: its configured name, or the scheme of a URL.
    public var destination: String
    /// Jobs by status; statuses without jobs are left out.
    public var counts: [LedgerStatus: Int]
    /// Bytes of the jobs whose round has not ended, those that have arrived included.
    public var bytesLeft: Int64

    public init(destination: String, counts: [LedgerStatus: Int] = [:], bytesLeft: Int64 = 0) {
        self.destination = destination
        self.counts = counts
        self.bytesLeft = bytesLeft
    }
}
