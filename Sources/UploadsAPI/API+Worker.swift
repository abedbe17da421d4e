public import Foundation

extension API {
    /// A worker that has reported within the last 30 s.
    public struct Worker: Codable, Hashable, Sendable {
        /// The worker's name: different from every other running worker's.
        public var name: String
        public var host: String
        public var version: String
        /// The commit that its program was built of; nil where the worker does not know it.
        public var commit: String?
        /// The transfer queues that it serves, every lane of each.
        @Tolerant public var queues: [String]
        /// `running`; `draining` while it hands its jobs over; `drained` once it holds none any more because an operator has drained it.
        public var state: String
        /// Jobs that have a slot.
        public var slotsUsed: Int
        /// The most jobs at once.
        public var slots: Int
        /// Jobs that it runs, at its last report: those that began first, at most 50.
        @Tolerant public var jobs: [RunningJob]
        /// Averaged since its report before, over all jobs; nil until its second report.
        public var bytesPerSecond: Double?
        /// By the worker's clock.
        public var startedAt: Date
        /// When the notifier received its last report, by the notifier's clock.
        public var heardAt: Date

        public init(
            name: String, host: String, version: String, commit: String? = nil, queues: [String], state: String,
            slotsUsed: Int, slots: Int, jobs: [RunningJob] = [], bytesPerSecond: Double? = nil, startedAt: Date,
            heardAt: Date
        ) {
            self.name = name
            self.host = host
            self.version = version
            self.commit = commit
            self.queues = queues
            self.state = state
            self.slotsUsed = slotsUsed
            self.slots = slots
            self.jobs = jobs
            self.bytesPerSecond = bytesPerSecond
            self.startedAt = startedAt
            self.heardAt = heardAt
        }
    }

    /// A job that a worker runs.
    public struct RunningJob: Codable, Hashable, Sendable {
        public var id: String
        /// When the worker took it, by the worker's clock.
        public var since: Date

        public init(id: String, since: Date) {
            self.id = id
            self.since = since
        }
    }

    /// Every worker that has reported within the last 30 s.
    public struct WorkerList: Codable, Hashable, Sendable {
        public var workers: [Worker]

        public init(workers: [Worker]) {
            self.workers = workers
        }
    }
}
