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
        /// Averaged since its report before, over all jobs; nil until its second report.
        public var bytesPerSecond: Double?
        /// By the worker's clock.
        public var startedAt: Date
        /// When the notifier received its last report, by the notifier's clock.
        public var heardAt: Date

        public init(
            name: String, host: String, version: String, commit: String? = nil, queues: [String], state: String,
            slotsUsed: Int, slots: Int, bytesPerSecond: Double? = nil, startedAt: Date, heardAt: Date
        ) {
            self.name = name
            self.host = host
            self.version = version
            self.commit = commit
            self.queues = queues
            self.state = state
            self.slotsUsed = slotsUsed
            self.slots = slots
            self.bytesPerSecond = bytesPerSecond
            self.startedAt = startedAt
            self.heardAt = heardAt
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
