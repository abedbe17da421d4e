public import Foundation

extension API {
    /// A job, what happened to it, and why it is not running.
    public struct JobStory: Codable, Hashable, Sendable {
        public var job: Job
        /// nil for a job that is in no serial line.
        public var line: LinePlace?
        public var explanation: Explanation
        /// The worker that runs it, by the worker's last report; nil where none says so.
        public var worker: String?
        /// The oldest first.
        public var events: [Event]
        /// The last orders of operators that the job has obeyed, the oldest first.
        @Tolerant public var orders: [JobOrder]
        /// Deliveries of the job's outcomes, the newest first.
        public var deliveries: [Delivery]

        public init(
            job: Job, line: LinePlace? = nil, explanation: Explanation, worker: String? = nil, events: [Event],
            orders: [JobOrder] = [], deliveries: [Delivery]
        ) {
            self.job = job
            self.line = line
            self.explanation = explanation
            self.worker = worker
            self.events = events
            self.orders = orders
            self.deliveries = deliveries
        }
    }

    /// Why a job is not running, or that it is running.
    public struct Explanation: Codable, Hashable, Sendable {
        /// One word of a fixed list, for programs.
        @Tolerant public var code: String
        /// A sentence for people, with a remedy where an operator can do something.
        public var text: String
        /// When this changes by itself at the latest; nil where it does not, or no time is known.
        public var until: Date?

        public init(code: String, text: String, until: Date? = nil) {
            self.code = code
            self.text = text
            self.until = until
        }
    }

    /// The place of a job in the serial line of its queue.
    public struct LinePlace: Codable, Hashable, Sendable {
        public var queue: String
        /// How many waiting jobs are ahead; nil once the job is on its way.
        public var position: Int?
        /// How many jobs wait in the line.
        public var waiting: Int
        /// The job directly ahead, waiting or on its way; nil for a job that is on its way itself.
        public var behind: String?
        /// The job that is on its way: the next one begins when this one has ended.
        public var holder: String?
        /// A job's status.
        public var holderStatus: String?

        public init(
            queue: String, position: Int? = nil, waiting: Int, behind: String? = nil, holder: String? = nil,
            holderStatus: String? = nil
        ) {
            self.queue = queue
            self.position = position
            self.waiting = waiting
            self.behind = behind
            self.holder = holder
            self.holderStatus = holderStatus
        }
    }
}
