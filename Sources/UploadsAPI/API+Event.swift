public import Foundation

extension API {
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
        /// Whether the destination's server copied it from the source object, so that no worker carried its bytes.
        public var isServerSideCopy: Bool
        /// How the object was proved to be the enqueued bytes: `readBack`, `checksum` or `etag`; nil where nothing
        /// proved it.
        public var verified: String?

        public init(
            location: String, etag: String? = nil, version: String? = nil, size: Int64? = nil, isOvertaken: Bool,
            isKept: Bool, isServerSideCopy: Bool, verified: String? = nil
        ) {
            self.location = location
            self.etag = etag
            self.version = version
            self.size = size
            self.isOvertaken = isOvertaken
            self.isKept = isKept
            self.isServerSideCopy = isServerSideCopy
            self.verified = verified
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
