public import Foundation

extension API {
    /// An upload job as the ledger has it.
    public struct Job: Codable, Hashable, Sendable {
        /// A UUID.
        public var id: String
        /// `queued`, `running`, `waiting`, `paused`, `completed`, `failed` or `cancelled`.
        public var status: String
        /// When the job took this status.
        @Tolerant public var since: Date
        /// The transfer queue.
        public var queue: String
        /// The lane: `urgent`, `continued`, `normal` or `bulk`.
        @Tolerant public var priority: String
        /// Where the bytes come from, for people: `staged:cat.jpg`, a path, `inline`; `forgotten` once the ledger
        /// forgot it.
        public var source: String
        /// The configured name, or the scheme of a URL.
        @Tolerant public var destination: String
        /// Where the bytes go, for people: `photos:2026/cat.jpg`, or a URL without its query.
        public var target: String
        @Tolerant public var contentType: String
        /// Bytes.
        public var size: Int64
        /// In hexadecimal; nil where the producer gave none.
        public var crc64nvme: String?
        /// In hexadecimal; nil where the producer gave none: it does on request.
        public var sha256: String?
        @Tolerant public var metadata: [String: String]
        public var batch: String?
        public var idempotencyKey: String?
        public var enqueuedAt: Date
        /// The earliest start; nil without one.
        public var notBefore: Date?
        /// When the job fails if it has not completed; nil for never.
        public var expiresAt: Date?
        /// From 1; each 'run again' begins another round.
        @Tolerant public var round: Int
        /// From 1; each baton that the notifier issues anew begins another generation.
        @Tolerant public var generation: Int
        /// From 0; each hand-over and each wait begins another slice.
        @Tolerant public var slice: Int
        /// Failed attempts of this round. An attempt that is under way, hand-overs, waits for a destination and slices whose
        /// worker died do not count.
        @Tolerant public var attempts: Int
        /// nil where the destination's configuration decides.
        public var attemptsMaximum: Int?
        /// Bytes that were sent in this round, repeated parts included.
        @Tolerant public var bytesSent: Int64
        /// Seconds for which workers have worked on the job in this round.
        @Tolerant public var activeSeconds: Double
        /// When the round's first slice began; nil before.
        public var startedAt: Date?
        /// `waiting`: when the job goes on by itself; nil where no time is known.
        public var waitingUntil: Date?
        /// Why the job waits, in one word.
        public var reason: String?
        /// The job's state in the serial line of its queue: `waiting`, `releasing` or `released`; nil outside a line.
        public var line: String?
        @Tolerant public var isPaused: Bool
        @Tolerant public var isCancelling: Bool
        /// The last failed attempts, at most 10, the oldest first.
        @Tolerant public var failures: [Failure]
        /// When the round ended; nil before.
        public var endedAt: Date?
        /// Why the round failed; nil where it did not.
        public var error: Error?
        /// When the ledger forgot the job's names, metadata, answers and errors; nil for a job that is kept whole.
        public var forgottenAt: Date?
        /// nil unless the job is running and its worker has reported within the last minute.
        public var progress: Progress?

        public init(
            id: String, status: String, since: Date, queue: String, priority: String, source: String,
            destination: String, target: String, contentType: String, size: Int64, crc64nvme: String? = nil,
            sha256: String? = nil, metadata: [String: String], batch: String? = nil, idempotencyKey: String? = nil,
            enqueuedAt: Date, notBefore: Date? = nil, expiresAt: Date? = nil, round: Int, generation: Int, slice: Int,
            attempts: Int, attemptsMaximum: Int? = nil, bytesSent: Int64, activeSeconds: Double, startedAt: Date? = nil,
            waitingUntil: Date? = nil, reason: String? = nil, line: String? = nil, isPaused: Bool, isCancelling: Bool,
            failures: [Failure], endedAt: Date? = nil, error: Error? = nil, forgottenAt: Date? = nil,
            progress: Progress? = nil
        ) {
            self.id = id
            self.status = status
            self.since = since
            self.queue = queue
            self.priority = priority
            self.source = source
            self.destination = destination
            self.target = target
            self.contentType = contentType
            self.size = size
            self.crc64nvme = crc64nvme
            self.sha256 = sha256
            self.metadata = metadata
            self.batch = batch
            self.idempotencyKey = idempotencyKey
            self.enqueuedAt = enqueuedAt
            self.notBefore = notBefore
            self.expiresAt = expiresAt
            self.round = round
            self.generation = generation
            self.slice = slice
            self.attempts = attempts
            self.attemptsMaximum = attemptsMaximum
            self.bytesSent = bytesSent
            self.activeSeconds = activeSeconds
            self.startedAt = startedAt
            self.waitingUntil = waitingUntil
            self.reason = reason
            self.line = line
            self.isPaused = isPaused
            self.isCancelling = isCancelling
            self.failures = failures
            self.endedAt = endedAt
            self.error = error
            self.forgottenAt = forgottenAt
            self.progress = progress
        }
    }

    /// A failed attempt.
    public struct Failure: Codable, Hashable, Sendable {
        public var at: Date
        /// From 1.
        public var attempt: Int
        /// A code of an upload error, such as `networkFailure`.
        public var code: String
        public var message: String

        public init(at: Date, attempt: Int, code: String, message: String) {
            self.at = at
            self.attempt = attempt
            self.code = code
            self.message = message
        }
    }

    /// Why something failed. Of what the destination answered it holds the status alone: a server may repeat a
    /// signature.
    public struct Error: Codable, Hashable, Sendable {
        /// A code of an upload error, such as `networkFailure`.
        public var code: String
        public var message: String
        /// The status that the destination answered; nil if it answered none.
        public var status: Int?

        public init(code: String, message: String, status: Int? = nil) {
            self.code = code
            self.message = message
            self.status = status
        }
    }

    /// How far a running job is.
    public struct Progress: Codable, Hashable, Sendable {
        /// Bytes that are at the destination or on their way.
        public var bytesDone: Int64
        /// The average of the last few reports.
        public var bytesPerSecond: Double
        /// Bytes of every part but the last; nil where the worker does not say.
        public var partBytes: Int64?
        /// When the worker reported it, by its clock.
        @Tolerant public var at: Date
        /// Seconds until the job is done at this rate; nil while nothing moves.
        public var secondsLeft: Double?

        public init(
            bytesDone: Int64, bytesPerSecond: Double, partBytes: Int64? = nil, at: Date, secondsLeft: Double? = nil
        ) {
            self.bytesDone = bytesDone
            self.bytesPerSecond = bytesPerSecond
            self.partBytes = partBytes
            self.at = at
            self.secondsLeft = secondsLeft
        }
    }

    /// A page of a list of jobs.
    public struct JobPage: Codable, Hashable, Sendable {
        public var jobs: [Job]
        /// `after` of the next page; null on the last.
        @Nullable public var next: String?

        public init(jobs: [Job], next: String? = nil) {
            self.jobs = jobs
            self.next = next
        }
    }
}
