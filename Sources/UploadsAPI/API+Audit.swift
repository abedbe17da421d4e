public import Foundation

extension API {
    /// What an operator has ordered.
    public struct AuditEntry: Codable, Hashable, Sendable {
        public var id: Int64
        /// When the order was given.
        public var at: Date
        /// Who gave it, and from where.
        public var by: String
        public var verb: String
        /// What it concerns, in words.
        public var subject: String
        /// The job's id, where the order names one alone.
        public var job: String?
        /// How many jobs or other things matched.
        public var matched: Int
        /// How many of them obeyed; nil while the order is carried out, or if the notifier died meanwhile.
        public var done: Int?
        /// Why something did not obey: the first reason.
        public var reason: String?

        public init(
            id: Int64, at: Date, by: String, verb: String, subject: String, job: String? = nil, matched: Int,
            done: Int? = nil, reason: String? = nil
        ) {
            self.id = id
            self.at = at
            self.by = by
            self.verb = verb
            self.subject = subject
            self.job = job
            self.matched = matched
            self.done = done
            self.reason = reason
        }
    }

    /// A page of the audit log, the newest first.
    public struct AuditPage: Codable, Hashable, Sendable {
        public var entries: [AuditEntry]
        /// `before` of the next page; null on the last.
        @Nullable public var next: Int64?

        public init(entries: [AuditEntry], next: Int64? = nil) {
            self.entries = entries
            self.next = next
        }
    }

    /// An order that a job has obeyed.
    public struct JobOrder: Codable, Hashable, Sendable {
        public var verb: String
        /// Who gave it, and from where.
        public var by: String
        /// When it was given.
        public var at: Date

        public init(verb: String, by: String, at: Date) {
            self.verb = verb
            self.by = by
            self.at = at
        }
    }
}

extension API.AuditEntry {
    /// What became of the order, in a few words.
    public var result: String {
        guard let done else { return "not known" }
        return switch (done, matched) {
        case (1, 1): "done"
        case (0, _): matched == 1 ? "refused" : "refused: \(matched)"
        case _ where done == matched: "done: \(done)"
        default: "done: \(done) of \(matched)"
        }
    }
}
