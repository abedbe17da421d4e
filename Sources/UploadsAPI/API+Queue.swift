public import Foundation

extension API {
    /// A transfer queue. The fields that only the broker can fill are null while the notifier cannot ask the broker.
    public struct Queue: Codable, Hashable, Sendable {
        public var name: String
        @Nullable public var isStopped: Bool?
        /// Jobs by status.
        public var jobs: [String: Int]
        /// Messages that wait, by lane.
        @Nullable public var depth: [String: Int]?
        /// Workers that take from the queue.
        @Nullable public var consumers: Int?
        /// When the oldest of the jobs that are queued or waiting was enqueued; null where there is none.
        @Nullable public var oldestWaiting: Date?
        /// Bytes of the jobs whose round has not ended, whatever has arrived of them.
        public var bytesLeft: Int64
        /// Over the last minute.
        public var completedPerMinute: Double
        /// Over the last minute.
        public var failedPerMinute: Double
        /// Bytes that its uploads have moved, over the last 15 seconds.
        public var bytesPerSecond: Double
        /// Destinations that keep jobs of this queue waiting, and why; of the newest 100 jobs that wait.
        @Tolerant public var heldUp: [HoldUp]
        /// Seconds until no job is left but the paused ones, at the present pace and if no more are enqueued; null while nothing goes on, or
        /// the queue is stopped.
        @Nullable public var secondsLeft: Double?

        public init(
            name: String, isStopped: Bool? = nil, jobs: [String: Int], depth: [String: Int]? = nil,
            consumers: Int? = nil, oldestWaiting: Date? = nil, bytesLeft: Int64, completedPerMinute: Double,
            failedPerMinute: Double, bytesPerSecond: Double, heldUp: [HoldUp], secondsLeft: Double? = nil
        ) {
            self.name = name
            self.isStopped = isStopped
            self.jobs = jobs
            self.depth = depth
            self.consumers = consumers
            self.oldestWaiting = oldestWaiting
            self.bytesLeft = bytesLeft
            self.completedPerMinute = completedPerMinute
            self.failedPerMinute = failedPerMinute
            self.bytesPerSecond = bytesPerSecond
            self.heldUp = heldUp
            self.secondsLeft = secondsLeft
        }
    }

    /// How many jobs of a queue one destination keeps waiting, and why: its limit, its circuit, or a pause that it
    /// asked for.
    public struct HoldUp: Codable, Hashable, Sendable {
        /// The configured name, or the scheme of a URL.
        public var destination: String
        /// `limited`, `circuitOpen` or `resting`.
        public var reason: String
        /// Of the newest 100 that wait.
        public var jobs: Int
        /// The reason as a worker reported it of one of the jobs.
        public var text: String?

        public init(destination: String, reason: String, jobs: Int, text: String? = nil) {
            self.destination = destination
            self.reason = reason
            self.jobs = jobs
            self.text = text
        }
    }

    /// Every transfer queue.
    public struct QueueList: Codable, Hashable, Sendable {
        public var queues: [Queue]

        public init(queues: [Queue]) {
            self.queues = queues
        }
    }

    /// A page of the serial line of a queue.
    public struct Line: Codable, Hashable, Sendable {
        /// The job that is on its way comes first, on the first page.
        public var line: [LineEntry]
        /// How many jobs wait in the whole line.
        public var waiting: Int
        /// `after` of the next page; null on the last.
        @Nullable public var next: Int64?

        public init(line: [LineEntry], waiting: Int, next: Int64? = nil) {
            self.line = line
            self.waiting = waiting
            self.next = next
        }
    }

    /// A job in a serial line.
    public struct LineEntry: Codable, Hashable, Sendable {
        /// How many waiting jobs are ahead; null for the job that is on its way.
        @Nullable public var position: Int?
        public var job: Job

        public init(position: Int? = nil, job: Job) {
            self.position = position
            self.job = job
        }
    }
}
