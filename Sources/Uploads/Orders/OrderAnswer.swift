public import Foundation

/// The result of an order. JSON `upload.answer.v1`.
///
/// Done means decided and durable: events report what follows from it (a cancelled upload's end, say).
public struct OrderAnswer: Codable, Hashable, Sendable {
    /// The most jobs that are listed; all are counted.
    public static let jobsMaximum = 1000

    /// The result of the order for one job.
    public struct Job: Codable, Hashable, Sendable {
        public var id: JobID
        public var done: Bool
        /// Why it was refused, cut to ``WireLimits/nameLengthMaximum``.
        public let reason: String?
        /// For an order to run again or to discard: the round that will begin, or the one that is under way already;
        /// nil if there is none.
        public var round: Int?
        /// For an order to ask: the job's state; nil for a job that the ledger does not know.
        public var report: JobReport?

        public init(id: JobID, reason: String? = nil, round: Int? = nil, report: JobReport? = nil) {
            self.id = id
            self.report = report
            self.round = round
            self.done = reason == nil
            self.reason = reason?.codePointPrefix(WireLimits.nameLengthMaximum)
        }

        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(JobID.self, forKey: .id)
            done = try container.decode(Bool.self, forKey: .done)
            reason = try container.decodeTextIfPresent(atMost: WireLimits.nameLengthMaximum, forKey: .reason)
            round = try container.decodeIfPresent(1...WireLimits.countMaximum, forKey: .round)
            report = try container.decodeIfPresent(JobReport.self, forKey: .report)
        }
    }

    /// Why nothing was done at all, or not all of it.
    public enum Problem: String, Codable, Sendable {
        /// More jobs match than the order allows; ``OrderAnswer/matched`` says how many.
        case tooMany
        /// A sweep could not be made; ``OrderAnswer/reason`` says why.
        case notSwept
        /// The ledger could not carry it out to its end; ``OrderAnswer/reason`` says why.
        case notRecorded
    }

    public var order: UUID
    /// Set: the answer of one shard, by its number from 0. An order about jobs of several shards has an answer from each of them.
    public private(set) var shard: Int?
    /// With ``shard``: the number of these answers.
    public private(set) var answers: Int?
    /// Jobs, queues or workers that the order was about.
    public var matched: Int
    /// How many of these the order was carried out for.
    public var done: Int
    /// The first ``jobsMaximum`` of the jobs.
    public var jobs: [Job]
    public var problem: Problem?
    /// The problem in words, cut to ``WireLimits/messageLengthMaximum``.
    public private(set) var reason: String?
    /// What the sweep found.
    public var sweep: SweepReport?

    public init(order: UUID, matched: Int = 0, done: Int = 0, jobs: [Job] = [], problem: Problem? = nil) {
        self.order = order
        self.matched = matched
        self.done = done
        self.jobs = jobs
        self.problem = problem
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        order = try container.decode(UUID.self, forKey: .order)
        shard = try container.decodeIfPresent(0...15, forKey: .shard)
        answers = try container.decodeIfPresent(1...16, forKey: .answers)
        matched = try container.decode(0...WireLimits.countMaximum, forKey: .matched)
        done = try container.decode(0...WireLimits.countMaximum, forKey: .done)
        jobs =
            try container.decodeListIfPresent(of: Job.self, atMost: Self.jobsMaximum, forKey: .jobs) ?? []
        problem = try container.decodeIfPresent(Problem.self, forKey: .problem)
        reason = try container.decodeTextIfPresent(atMost: WireLimits.messageLengthMaximum, forKey: .reason)
        sweep = try container.decodeIfPresent(SweepReport.self, forKey: .sweep)
    }

    /// The answer to a sweep that was made.
    public init(order: UUID, sweep: SweepReport) {
        self.init(order: order, matched: sweep.found, done: sweep.removed)
        self.sweep = sweep
    }

    /// The answer to a sweep that could not be made.
    public init(order: UUID, notSwept error: UploadError) {
        self.init(order: order, problem: .notSwept)
        reason = error.message
    }

    /// The answer to an order that the ledger could not carry out to its end.
    public init(order: UUID, notRecorded reason: String) {
        self.init(order: order, problem: .notRecorded)
        self.reason = reason.codePointPrefix(WireLimits.messageLengthMaximum)
    }

    /// Counts more jobs in, and lists them while there is room.
    public mutating func add(_ more: [Job]) { add(more, matched: more.count, done: more.count(where: \.done)) }

    private mutating func add(_ more: [Job], matched count: Int, done doneCount: Int) {
        matched = Swift.min(matched.addingSaturating(count), WireLimits.countMaximum)
        done = Swift.min(done.addingSaturating(doneCount), WireLimits.countMaximum)
        jobs += more.prefix(max(0, Self.jobsMaximum - jobs.count))
    }

    /// Counts the answer to another part of the order in.
    private mutating func merge(_ other: OrderAnswer) {
        add(other.jobs, matched: other.matched, done: other.done)
        problem = problem ?? other.problem
        reason = reason ?? other.reason
        sweep = sweep ?? other.sweep
    }

    /// The answer to a part, as the answer to its share of the whole order.
    public func sharing(_ part: OrderPart?) -> OrderAnswer {
        guard let part else { return self }
        var answer = self
        (answer.order, answer.shard, answer.answers) = (part.order, part.shard, part.count)
        return answer
    }

    /// The answer to a whole order, of the answers of its shards; the jobs come in the order in which the order names them.
    public init(to order: UploadOrder, of parts: [OrderAnswer]) {
        self = parts.first ?? OrderAnswer(order: order.id)
        for part in parts.dropFirst() { merge(part) }
        (self.order, shard, answers) = (order.id, nil, nil)
        guard let named = order.command.named else { return }
        let places = Dictionary(
            named.enumerated().map { ($0.element, $0.offset) }, uniquingKeysWith: { first, _ in first })
        jobs.sort { places[$0.id] ?? .max < places[$1.id] ?? .max }
    }
}
