public import Foundation

/// Which jobs an order is about; what is nil matches any. It can say all that a listing of jobs can (``LedgerFilter``), so that an order can
/// mean the jobs that a list shows.
public struct OrderFilter: Hashable, Sendable {
    public var queue: QueueName?
    /// The destination's label: its configured name, or the scheme and host of a URL.
    public var destination: String?
    public var batch: String?
    public var idempotencyKey: String?
    /// As ``LedgerFilter/text``: ``LedgerFilter/textCountMinimum`` to ``LedgerFilter/textCountMaximum`` Unicode scalars.
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
    /// nil: the statuses in which a job can obey the verb.
    public var statuses: Set<LedgerStatus>?
    /// The last hexadecimal digits of the jobs' ids, such as `048c`: the jobs of some shards.
    public var digits: String?

    public init(
        queue: QueueName? = nil, destination: String? = nil, batch: String? = nil, endedUntil: Date? = nil,
        statuses: Set<LedgerStatus>? = nil, digits: String? = nil
    ) {
        self.queue = queue
        self.destination = destination
        self.batch = batch
        self.endedUntil = endedUntil
        self.statuses = statuses
        self.digits = digits
    }

    /// The statuses that match: those named, else those that can obey the verb. A completed job runs again only when
    /// that is asked for, and only ended jobs are forgotten.
    public func statuses(for verb: Verb) -> Set<LedgerStatus> {
        if let statuses { return verb == .forget ? statuses.filter(\.isEnd) : statuses }
        return switch verb {
        case .cancel, .pause, .resume: Set(LedgerStatus.allCases.filter { !$0.isEnd })
        case .runNow: [.queued, .waiting, .paused]
        case .runAgain: [.failed, .cancelled]
        case .discard: [.failed]
        case .forget: Set(LedgerStatus.allCases.filter(\.isEnd))
        }
    }

    /// The listing with the same conditions, in the statuses that match. It does not know ``digits``, and no rule of a verb.
    package func listing(for verb: Verb, limit: Int = 100) -> LedgerFilter {
        var listing = LedgerFilter(
            statuses: statuses(for: verb), queue: queue, destination: destination, limit: limit)
        listing.batch = batch
        listing.idempotencyKey = idempotencyKey
        listing.text = text
        listing.enqueuedSince = enqueuedSince
        listing.enqueuedUntil = enqueuedUntil
        listing.endedSince = endedSince
        listing.endedUntil = endedUntil
        listing.code = code
        listing.client = client
        return listing
    }

    /// The filter without names of jobs, for an order to forget them that was carried out.
    package var forgotten: OrderFilter {
        var filter = self
        filter.batch = nil
        filter.idempotencyKey = nil
        filter.text = nil
        return filter
    }
}

extension OrderFilter {
    /// The filter in words: `failed jobs to destination photos`. What an order to forget concerns has no name.
    func subject(for verb: Verb) -> String {
        let shown = verb == .forget ? forgotten : self
        let words = statuses?.map(\.rawValue).sorted().joined(separator: " or ")
        let parts = [
            words.map { "\($0) jobs" } ?? "jobs", queue.map { "in queue \($0)" },
            destination.map { "to destination \($0)" }, shown.batch.map { "of batch \($0)" },
            shown.idempotencyKey.map { "with the key \($0)" }, shown.text.map { "with '\($0)'" },
            client.map { "of app \($0)" }, code.map { "with the error \($0)" },
            Self.range("enqueued", enqueuedSince, enqueuedUntil), Self.range("ended", endedSince, endedUntil),
        ]
        return parts.compactMap(\.self).joined(separator: " ")
    }

    private static func range(_ what: String, _ since: Date?, _ until: Date?) -> String? {
        guard since != nil || until != nil else { return nil }
        let parts = [
            since.map { "since \(WireJSON.timestamp($0))" }, until.map { "before \(WireJSON.timestamp($0))" },
        ]
        return ([what] + parts.compactMap(\.self)).joined(separator: " ")
    }
}

extension OrderFilter: Codable {
    /// The names are those of the parameters of `GET /v1/jobs`.
    private enum Key: String, CodingKey {
        case queue, destination, batch, key, text, since, until, endedSince, endedUntil, error, client, statuses, digits
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init(
            queue: try container.decodeIfPresent(QueueName.self, forKey: .queue),
            destination: try container.decodeTextIfPresent(atMost: WireLimits.pathLengthMaximum, forKey: .destination),
            batch: try container.decodeTextIfPresent(atMost: WireLimits.nameLengthMaximum, forKey: .batch),
            endedUntil: try container.decodeIfPresent(Date.self, forKey: .endedUntil),
            statuses: try container.decodeIfPresent(Set<LedgerStatus>.self, forKey: .statuses),
            digits: try container.decodeIfPresent(String.self, forKey: .digits))
        idempotencyKey = try container.decodeTextIfPresent(atMost: WireLimits.nameLengthMaximum, forKey: .key)
        text = try container.decodeTextIfPresent(atMost: LedgerFilter.textCountMaximum, forKey: .text)
        enqueuedSince = try container.decodeIfPresent(Date.self, forKey: .since)
        enqueuedUntil = try container.decodeIfPresent(Date.self, forKey: .until)
        endedSince = try container.decodeIfPresent(Date.self, forKey: .endedSince)
        client = try container.decodeTextIfPresent(atMost: WireLimits.nameLengthMaximum, forKey: .client)
        if let name = try container.decodeIfPresent(String.self, forKey: .error) {
            // A code of another version must not stand for `unknown`: the order would be about other jobs.
            guard let known = UploadError.Code(exactly: name) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .error, in: container, debugDescription: "expected the code of an upload error")
            }
            code = known
        }
        if let text, text.unicodeScalars.count < LedgerFilter.textCountMinimum {
            throw DecodingError.dataCorruptedError(
                forKey: .text, in: container,
                debugDescription: "expected \(LedgerFilter.textCountMinimum) or more characters")
        }
        guard let digits,
            !(1...16).contains(digits.utf8.count) || !digits.allSatisfy({ Shards.digits.contains("\($0)") })
        else { return }
        throw DecodingError.dataCorruptedError(
            forKey: .digits, in: container, debugDescription: "expected 1 to 16 of the hexadecimal digits 0 to f")
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encodeIfPresent(queue, forKey: .queue)
        try container.encodeIfPresent(destination, forKey: .destination)
        try container.encodeIfPresent(batch, forKey: .batch)
        try container.encodeIfPresent(idempotencyKey, forKey: .key)
        try container.encodeIfPresent(text, forKey: .text)
        try container.encodeIfPresent(enqueuedSince, forKey: .since)
        try container.encodeIfPresent(enqueuedUntil, forKey: .until)
        try container.encodeIfPresent(endedSince, forKey: .endedSince)
        try container.encodeIfPresent(endedUntil, forKey: .endedUntil)
        try container.encodeIfPresent(code, forKey: .error)
        try container.encodeIfPresent(client, forKey: .client)
        try container.encodeIfPresent(statuses?.sorted { $0.rawValue < $1.rawValue }, forKey: .statuses)
        try container.encodeIfPresent(digits, forKey: .digits)
    }
}
