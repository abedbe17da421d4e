public import Foundation

/// The state of a delivery, as listings show it.
public struct DeliveryRecord: Hashable, Sendable, Identifiable {
    /// Bounded: what a listing can be narrowed to.
    public enum Status: String, CaseIterable, Codable, Sendable {
        /// Not tried yet, or tried in vain and due again.
        case waiting
        case delivered
        /// Refused for as long as it was tried while the delegate took others: kept until it is replayed.
        case failed
    }

    public let id: DelegateDelivery.ID
    public let delegate: String
    /// The outcome's id, as the delegate sees it.
    public let event: String
    public let job: String
    public let status: Status
    /// Attempts that have failed so far.
    public let attempts: Int
    public let createdAt: Date
    /// `waiting`: when it is tried next.
    public let dueAt: Date?
    public let deliveredAt: Date?
    /// Why the last attempt failed.
    public let error: String?

    public init(
        id: DelegateDelivery.ID, delegate: String, event: String, job: String, status: Status, attempts: Int,
        createdAt: Date, dueAt: Date?, deliveredAt: Date?, error: String?
    ) {
        self.id = id
        self.delegate = delegate
        self.event = event
        self.job = job
        self.status = status
        self.attempts = attempts
        self.createdAt = createdAt
        self.dueAt = dueAt
        self.deliveredAt = deliveredAt
        self.error = error
    }
}

/// One try to deliver, and what came of it.
public struct DeliveryAttempt: Hashable, Sendable {
    /// Bytes of an answer that are kept: 1 KiB.
    public static let answerBytesMaximum = 1024

    /// When it began.
    public var at: Date
    /// How long it took, in seconds.
    public var seconds: TimeInterval
    /// The delegate's answer: a webhook's HTTP status, a command's exit code; nil if it answered nothing.
    public var status: Int?
    /// The answer's first ``answerBytesMaximum`` bytes; bytes that are not UTF-8 are replaced.
    public var answer: String?
    /// Why it failed; nil if it was delivered.
    public var error: String?

    public init(at: Date, seconds: TimeInterval, answer response: ServerResponse? = nil, error: UploadError? = nil) {
        self.init(
            at: at, seconds: seconds, status: response?.status ?? error?.response?.status,
            answer: (response ?? error?.response)?.body.map {
                String(decoding: $0.utf8.prefix(Self.answerBytesMaximum), as: UTF8.self)
            }, error: error?.description)
    }

    public init(at: Date, seconds: TimeInterval, status: Int?, answer: String?, error: String?) {
        self.at = at
        self.seconds = seconds
        self.status = status
        self.answer = answer
        self.error = error
    }
}

/// Which jobs' outcomes a delegate receives; a field that is left empty lets every job pass.
public struct DeliveryFilter: Hashable, Sendable {
    /// Names of transfer queues.
    public var queues: Set<String>
    /// Names of destinations, as ``DestinationReference/label`` says them.
    public var destinations: Set<String>
    public var batches: Set<ExactText>
    /// Values that the job's metadata must have, every one of them.
    public var metadata: [String: String]
    /// The identifier of an app's managers; nil for jobs of every app.
    public var client: String?

    public init(
        queues: Set<String> = [], destinations: Set<String> = [], batches: Set<ExactText> = [],
        metadata: [String: String] = [:], client: String? = nil
    ) {
        self.queues = queues
        self.destinations = destinations
        self.batches = batches
        self.metadata = metadata
        self.client = client
    }

    public func passes(_ job: UploadJob) -> Bool {
        (queues.isEmpty || queues.contains(job.queue.rawValue))
            && (destinations.isEmpty || destinations.contains(job.destination.label))
            && (batches.isEmpty || job.batch.map { batches.contains(ExactText($0)) } ?? false)
            && (client == nil || job.client == client)
            && metadata.allSatisfy { job.metadata[$0.key]?.isExactly($0.value) == true }
    }
}

/// Which deliveries a listing shows, the newest first.
public struct DeliveryListing: Hashable, Sendable {
    /// The most deliveries of one page.
    public static let limitMaximum = 1000

    public var delegate: String?
    public var job: JobID?
    public var status: DeliveryRecord.Status?
    /// Only those before this one: for the next page.
    public var before: DelegateDelivery.ID?
    /// 1 to ``limitMaximum``.
    public var limit: Int

    public init(
        delegate: String? = nil, job: JobID? = nil, status: DeliveryRecord.Status? = nil,
        before: DelegateDelivery.ID? = nil, limit: Int = 100
    ) {
        self.delegate = delegate
        self.job = job
        self.status = status
        self.before = before
        self.limit = min(max(1, limit), Self.limitMaximum)
    }
}

/// Which deliveries are to be repeated, under the same ids.
public enum DeliveryReplay: Hashable, Sendable {
    /// This one, whether it was delivered or not.
    case one(DelegateDelivery.ID)
    /// Every delivery that was noted for a delegate from the first time on and before the second, delivered or not.
    case range(delegate: String, from: Date, to: Date)
    /// Deliveries that a delegate has refused and not taken since: those that were given up, and those that wait for another attempt.
    case failed(delegate: String)
}

/// Which outcomes a delegate receives.
public struct DeliveryRoute: Hashable, Sendable {
    /// The delegate's name.
    public var delegate: String
    /// `completed`, `failed`, `cancelled`, or some of them.
    public var kinds: Set<EventKind>
    /// The jobs whose outcomes it receives.
    public var filter: DeliveryFilter

    public init(
        delegate: String, kinds: Set<EventKind> = [.completed, .failed, .cancelled],
        filter: DeliveryFilter = DeliveryFilter()
    ) {
        self.delegate = delegate
        self.kinds = kinds
        self.filter = filter
    }

    public func takes(_ outcome: UploadEvent) -> Bool { kinds.contains(outcome.kind) && filter.passes(outcome.job) }
}

/// One outcome on its way to one delegate.
public struct DelegateDelivery: Hashable, Sendable, Identifiable {
    public let id: Int64
    public let delegate: String
    /// The outcome, under the id that every repeat carries.
    public let event: UploadEvent
    /// Attempts that have failed so far.
    public let attempts: Int
    /// The next attempt is not made before this time.
    public let dueAt: Date
    /// When the first attempt failed; nil if none did.
    public let failingSince: Date?

    public init(
        id: Int64, delegate: String, event: UploadEvent, attempts: Int, dueAt: Date, failingSince: Date? = nil
    ) {
        self.id = id
        self.delegate = delegate
        self.event = event
        self.attempts = attempts
        self.dueAt = dueAt
        self.failingSince = failingSince
    }
}
