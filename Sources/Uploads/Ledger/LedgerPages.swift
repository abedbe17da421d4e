public import Foundation

/// Which jobs a listing shows, and in what order; what is nil matches any.
public struct LedgerFilter: Hashable, Sendable {
    /// The most jobs of one page.
    public static let limitMaximum = 1000
    /// The shortest text that the index can find, in Unicode scalars.
    public static let textCountMinimum = 3
    /// The longest text that is looked for, in Unicode scalars; the rest is ignored.
    public static let textCountMaximum = 200

    /// By the time of enqueueing; with ``LedgerFilter/text`` by when the ledger learned of a job, which is nearly the
    /// same.
    public enum Order: String, CaseIterable, Sendable {
        case newestFirst, oldestFirst
    }

    public var statuses: Set<LedgerStatus>?
    public var queue: QueueName?
    /// The destination's label: its configured name, or the scheme of a URL.
    public var destination: String?
    public var batch: String?
    public var idempotencyKey: String?
    /// Part of the source's name, the destination's key, metadata, batch, idempotency key or the last error, in upper or
    /// lower case; at least ``textCountMinimum``. Pages may be short with it.
    public var text: String?
    /// Enqueued at this time or later.
    public var enqueuedSince: Date?
    /// Enqueued before this time.
    public var enqueuedUntil: Date?
    /// Ended at this time or later.
    public var endedSince: Date?
    /// Ended before this time.
    public var endedUntil: Date?
    /// Failed with this error (``LedgerJob/failureCode``).
    public var code: UploadError.Code?
    /// The app that enqueued the job (``UploadJob/client``).
    public var client: String?
    public var order: Order
    /// Only jobs that come after this one in the order: ``JobPage/next`` of the page before.
    public var after: JobID?
    /// 1 to ``limitMaximum``.
    public var limit: Int

    public init(
        statuses: Set<LedgerStatus>? = nil, queue: QueueName? = nil, destination: String? = nil,
        order: Order = .newestFirst, after: JobID? = nil, limit: Int = 100
    ) {
        self.statuses = statuses
        self.queue = queue
        self.destination = destination
        self.order = order
        self.after = after
        self.limit = min(max(1, limit), Self.limitMaximum)
    }

    /// The statuses that a job can have which meets all conditions; nil: any. An error is one of a failed job, and an end one of an ended
    /// job.
    package var possibleStatuses: Set<LedgerStatus>? {
        let implied: Set<LedgerStatus>
        if code != nil {
            implied = [.failed]
        } else if endedSince != nil || endedUntil != nil {
            implied = Set(LedgerStatus.allCases.filter(\.isEnd))
        } else {
            return statuses
        }
        return statuses?.intersection(implied) ?? implied
    }
}

/// Part of a listing of jobs, in its order.
public struct JobPage: Hashable, Sendable {
    /// Perhaps fewer than asked for, or none, though more follow.
    public var jobs: [LedgerJob]
    /// The `after` of the next page: the last job that was looked at. nil on the last page.
    public var next: JobID?

    public init(jobs: [LedgerJob], next: JobID?) {
        self.jobs = jobs
        self.next = next
    }
}

/// Which recorded events are shown; what is nil matches any.
public struct EventFilter: Hashable, Sendable {
    public var kinds: Set<EventKind>?
    public var queue: QueueName?
    public var job: JobID?

    public init(kinds: Set<EventKind>? = nil, queue: QueueName? = nil, job: JobID? = nil) {
        self.kinds = kinds
        self.queue = queue
        self.job = job
    }
}

/// Part of what was recorded, in the order of recording.
public struct EventPage: Hashable, Sendable {
    /// The events that the filter lets through: perhaps none, though more follow.
    public var events: [RecordedEvent]
    /// How far the ledger was looked through: the next page begins after this.
    public var through: Int64
    /// Whether the ledger holds nothing beyond ``through``.
    public var isLast: Bool

    public init(events: [RecordedEvent], through: Int64, isLast: Bool) {
        self.events = events
        self.through = through
        self.isLast = isLast
    }
}

/// An event with its place in the ledger.
public struct RecordedEvent: Hashable, Sendable, Identifiable {
    /// From 1, rising in the order of recording, with gaps.
    public let sequence: Int64
    public let event: UploadEvent

    public init(sequence: Int64, event: UploadEvent) {
        self.sequence = sequence
        self.event = event
    }

    public var id: Int64 { sequence }
}

/// The result of one step of forgetting the names of old jobs.
public struct ForgottenPage: Hashable, Sendable {
    /// How many jobs were forgotten.
    public var count: Int
    /// The job behind which to go on; nil after the last.
    public var next: JobID?

    public init(count: Int, next: JobID?) {
        self.count = count
        self.next = next
    }
}

/// A part of a serial line, in its order.
public struct LinePage: Hashable, Sendable {
    /// A job of the line.
    public struct Entry: Hashable, Sendable {
        public var job: LedgerJob
        /// How many waiting jobs are ahead of it; nil for a released one.
        public var position: Int?

        public init(job: LedgerJob, position: Int?) {
            self.job = job
            self.position = position
        }
    }

    /// The first page begins with the released job.
    public var entries: [Entry]
    /// How many wait in the whole line.
    public var waiting: Int
    /// `after` of the next page; nil on the last. The number has no other meaning.
    public var next: Int64?

    public init(entries: [Entry], waiting: Int, next: Int64?) {
        self.entries = entries
        self.waiting = waiting
        self.next = next
    }
}

/// The place of a job in the serial line of its queue.
public struct LinePlace: Hashable, Sendable {
    /// How many waiting jobs are ahead of it, the index that `move` takes; nil once it is released.
    public var position: Int?
    /// How many wait in the line.
    public var waiting: Int
    /// The job that has to end, or to be released, before its turn comes; nil once it is released.
    public var behind: JobID?
    /// The job that holds the line up: released, and not ended.
    public var holder: JobID?
    public var holderStatus: LedgerStatus?

    public init(
        position: Int?, waiting: Int, behind: JobID? = nil, holder: JobID? = nil, holderStatus: LedgerStatus? = nil
    ) {
        self.position = position
        self.waiting = waiting
        self.behind = behind
        self.holder = holder
        self.holderStatus = holderStatus
    }
}
