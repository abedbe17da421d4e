public import Foundation

extension API {
    /// A job, what happened to it, and why it is not running.
    public struct JobStory: Codable, Hashable, Sendable {
        public var job: Job
        /// nil for a job that is in no serial line.
        public var line: LinePlace?
        public var explanation: Explanation
        /// The oldest first.
        public var events: [Event]
        /// Deliveries of the job's outcomes, the newest first.
        public var deliveries: [Delivery]

        public init(
            job: Job, line: LinePlace? = nil, explanation: Explanation, events: [Event], deliveries: [Delivery]
        ) {
            self.job = job
            self.line = line
            self.explanation = explanation
            self.events = events
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

    /// Something that happened to a job. It leaves out the state of the session, which may be a credential.
    public struct Event: Codable, Hashable, Sendable {
        /// The event's place in the ledger; in the stream of events only.
        public var sequence: Int64?
        @Tolerant public var id: String
        /// `upload.completed` and so on.
        public var type: String
        public var time: Date
        /// A UUID.
        public var job: String
        @Tolerant public var queue: String
        /// The configured name, or the scheme of a URL.
        @Tolerant public var destination: String
        /// Where the bytes go, for people: without the query of a URL.
        public var target: String
        /// Bytes.
        public var size: Int64
        /// From 1.
        public var round: Int
        /// From 1.
        @Tolerant public var generation: Int
        /// From 0.
        @Tolerant public var slice: Int
        /// Failed attempts of this round.
        @Tolerant public var attempts: Int
        @Tolerant public var bytesSent: Int64
        /// `waiting`: when the job goes on by itself.
        public var waitingUntil: Date?
        /// Why the job waits, in one word.
        public var reason: String?
        public var error: Error?
        /// `completed`: the object that the upload made.
        public var object: Object?

        public init(
            sequence: Int64? = nil, id: String, type: String, time: Date, job: String, queue: String,
            destination: String, target: String, size: Int64, round: Int, generation: Int, slice: Int, attempts: Int,
            bytesSent: Int64, waitingUntil: Date? = nil, reason: String? = nil, error: Error? = nil,
            object: Object? = nil
        ) {
            self.sequence = sequence
            self.id = id
            self.type = type
            self.time = time
            self.job = job
            self.queue = queue
            self.destination = destination
            self.target = target
            self.size = size
            self.round = round
            self.generation = generation
            self.slice = slice
            self.attempts = attempts
            self.bytesSent = bytesSent
            self.waitingUntil = waitingUntil
            self.reason = reason
            self.error = error
            self.object = object
        }
    }

    /// The object at the destination.
    public struct Object: Codable, Hashable, Sendable {
        /// A path, or a URL without its query.
        public var location: String
        public var etag: String?
        public var version: String?
        /// Bytes; nil where the destination did not say.
        public var size: Int64?
        /// Whether a newer job's object was there, so that this job wrote nothing over it.
        public var isOvertaken: Bool
        /// Whether an object was there already and was kept, because the job asked for that: nothing was written.
        public var isKept: Bool
        /// How the object was proved to be the enqueued bytes: `readBack`, `checksum` or `etag`; nil where nothing
        /// proved it.
        public var verified: String?

        public init(
            location: String, etag: String? = nil, version: String? = nil, size: Int64? = nil, isOvertaken: Bool,
            isKept: Bool, verified: String? = nil
        ) {
            self.location = location
            self.etag = etag
            self.version = version
            self.size = size
            self.isOvertaken = isOvertaken
            self.isKept = isKept
            self.verified = verified
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

    /// A `progress` of the stream of events: how far a running job is, and which job that is.
    public struct JobProgress: Codable, Hashable, Sendable {
        /// A UUID.
        public var job: String
        public var queue: String
        /// The configured name, or the scheme of a URL.
        public var destination: String
        /// Where the bytes go, for people: without the query of a URL.
        public var target: String
        /// Bytes.
        public var size: Int64
        /// Bytes that are at the destination or on their way.
        public var bytesDone: Int64
        /// The average of the last few reports.
        public var bytesPerSecond: Double
        /// When the worker reported it, by its clock.
        @Tolerant public var at: Date
        /// Seconds until the job is done at this rate; nil while nothing moves.
        public var secondsLeft: Double?

        public init(
            job: String, queue: String, destination: String, target: String, size: Int64, bytesDone: Int64,
            bytesPerSecond: Double, at: Date, secondsLeft: Double? = nil
        ) {
            self.job = job
            self.queue = queue
            self.destination = destination
            self.target = target
            self.size = size
            self.bytesDone = bytesDone
            self.bytesPerSecond = bytesPerSecond
            self.at = at
            self.secondsLeft = secondsLeft
        }
    }
}
