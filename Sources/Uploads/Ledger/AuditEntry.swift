public import Foundation

/// What an operator has ordered, as the ledger's audit log keeps it.
public struct AuditEntry: Hashable, Sendable {
    /// The most Unicode scalars of ``subject`` and of ``reason``; the rest is cut off.
    public static let textCountMaximum = 500

    /// Of the order; the parts of an order that shards carry out are one entry.
    public var order: UUID
    /// When the order was given.
    public var at: Date
    /// Who gave it (``UploadOrder/by``).
    public var by: String
    /// The order's verb, such as `cancel` or `delegate.pause`.
    public var verb: String
    /// What it concerns, in words: `job 019a7d3e-…`, `failed jobs of destination photos`.
    public var subject: String
    /// The job, where the order names one alone.
    public var job: JobID?
    /// How many jobs or other things matched.
    public var matched: Int
    /// How many of them obeyed; nil while the order is carried out, or if the notifier died meanwhile.
    public var done: Int?
    /// Why something did not obey: the first reason.
    public var reason: String?

    public init(
        order: UUID = UUID(), at: Date, by: String, verb: String, subject: String, job: JobID? = nil, matched: Int = 1,
        done: Int? = nil, reason: String? = nil
    ) {
        self.order = order
        self.at = at
        self.by = by.codePointPrefix(UploadOrder.byCountMaximum)
        self.verb = verb
        self.subject = subject.codePointPrefix(Self.textCountMaximum)
        self.job = job
        self.matched = matched
        self.done = done
        self.reason = reason?.codePointPrefix(Self.textCountMaximum)
    }

    /// The entry of an order that is done; nil for a question, which changes nothing.
    init?(of order: UploadOrder, _ answer: OrderAnswer) {
        guard !order.command.isQuestion else { return nil }
        let named = order.command.named
        self.init(
            order: order.part?.order ?? order.id, at: order.at, by: order.by, verb: order.command.verb,
            subject: order.command.subject, job: named?.count == 1 ? named?.first : nil, matched: answer.matched,
            done: answer.done,
            reason: answer.problem == .tooMany
                ? "more jobs matched than the order allowed"
                : answer.reason ?? answer.jobs.lazy.compactMap(\.reason).first)
    }
}

/// An entry of the audit log with its number.
public struct AuditRecord: Hashable, Sendable, Identifiable {
    /// Rises with each entry; the newest has the highest.
    public var id: Int64
    public var entry: AuditEntry

    public init(id: Int64, entry: AuditEntry) {
        self.id = id
        self.entry = entry
    }
}

/// Which entries of the audit log are shown; what is nil matches any.
public struct AuditListing: Hashable, Sendable {
    /// The most entries of a page.
    public static let limitMaximum = 500

    /// A part of ``AuditEntry/by``, in upper or lower case.
    public var by: String?
    public var verb: String?
    public var since: Date?
    public var until: Date?
    /// Only entries with lower numbers: the last one of the page before.
    public var before: Int64?
    /// 1 to ``limitMaximum``.
    public var limit: Int

    public init(
        by: String? = nil, verb: String? = nil, since: Date? = nil, until: Date? = nil, before: Int64? = nil,
        limit: Int = 100
    ) {
        self.by = by
        self.verb = verb
        self.since = since
        self.until = until
        self.before = before
        self.limit = min(max(1, limit), Self.limitMaximum)
    }
}
