public import Foundation

/// One worker's report on itself at one moment: where it runs, what it serves, and how busy it is.
/// JSON `upload.worker.v1`. Transient: only displays depend on it.
public struct WorkerReport: Codable, Hashable, Sendable {
    /// The most UTF-8 bytes of the worker's name, its host, its version and its commit: readers refuse longer ones.
    public static let textBytesMaximum = 300
    /// The most transfer queues of a report; a worker that serves more reports the first of them.
    public static let queueCountMaximum = 1000
    /// The most jobs of a report; a worker that runs more reports those that have run the longest.
    public static let jobCountMaximum = 50
    /// Seconds between two reports; only a change of the state is reported earlier.
    public static let interval: TimeInterval = 10

    public enum State: String, Codable, CaseIterable, Sendable {
        case running
        /// The worker hands its jobs over, and takes no others.
        case draining
        /// An operator has drained the worker, and it holds no job any more: it takes none until it is resumed.
        case drained
        /// The worker has ended: the last report of it.
        case stopped
    }

    /// A job that has a slot.
    public struct RunningJob: Codable, Hashable, Sendable {
        public var id: JobID
        /// When its slice began, by the worker's clock.
        public var since: Date

        public init(id: JobID, since: Date) {
            self.id = id
            self.since = since
        }
    }

    /// The worker's name, unique while the worker runs.
    public var worker: String
    public var host: String
    public var version: String
    /// The commit that the program was built of; nil where that is not known.
    public var commit: String?
    /// The transfer queues that it serves.
    public var queues: [QueueName]
    public var state: State
    /// Jobs that have a slot.
    public var slotsUsed: Int
    /// The most jobs at once.
    public var slots: Int
    /// The jobs that run: those that began first, at most ``jobCountMaximum``.
    public var jobs: [RunningJob]
    /// Bytes of parts that left in a second, over all jobs, averaged since the report before; nil in the first report.
    public var bytesPerSecond: Double?
    public var startedAt: Date
    /// When the report was made, by the worker's clock.
    public var at: Date

    public init(
        worker: String, host: String, version: String, commit: String? = nil, queues: [QueueName],
        state: State = .running, slotsUsed: Int = 0, slots: Int, jobs: [RunningJob] = [],
        bytesPerSecond: Double? = nil, startedAt: Date, at: Date
    ) {
        self.worker = worker.utf8Prefix(Self.textBytesMaximum)
        self.host = host.utf8Prefix(Self.textBytesMaximum)
        self.version = version.utf8Prefix(Self.textBytesMaximum)
        self.commit = commit?.utf8Prefix(Self.textBytesMaximum)
        self.queues = Array(queues.prefix(Self.queueCountMaximum))
        self.state = state
        self.slotsUsed = min(max(0, slotsUsed), WireLimits.countMaximum)
        self.slots = min(max(0, slots), WireLimits.countMaximum)
        self.jobs = Array(jobs.prefix(Self.jobCountMaximum))
        self.bytesPerSecond = bytesPerSecond.map { $0 > 0 ? min($0, Double(WireLimits.bytesSentMaximum)) : 0 }
        self.startedAt = startedAt
        self.at = at
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        worker = try container.decodeText(atMost: Self.textBytesMaximum, forKey: .worker)
        host = try container.decodeText(atMost: Self.textBytesMaximum, forKey: .host)
        version = try container.decodeText(atMost: Self.textBytesMaximum, forKey: .version)
        commit = try container.decodeTextIfPresent(atMost: Self.textBytesMaximum, forKey: .commit)
        queues = try container.decodeList(of: QueueName.self, atMost: Self.queueCountMaximum, forKey: .queues)
        state = try container.decode(State.self, forKey: .state)
        slotsUsed = try container.decode(0...WireLimits.countMaximum, forKey: .slotsUsed)
        slots = try container.decode(0...WireLimits.countMaximum, forKey: .slots)
        jobs = try container.decodeListIfPresent(of: RunningJob.self, atMost: Self.jobCountMaximum, forKey: .jobs) ?? []
        bytesPerSecond = try container.decodeIfPresent(
            0...Double(WireLimits.bytesSentMaximum), forKey: .bytesPerSecond)
        startedAt = try container.decode(Date.self, forKey: .startedAt)
        at = try container.decode(Date.self, forKey: .at)
    }

    /// Reports with the same subject replace each other.
    public var subject: String { "worker \(worker)" }

    public static let routingKey = "worker._._"
}
