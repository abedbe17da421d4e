public import Foundation

/// Which jobs an order is about; what is nil matches any.
public struct OrderFilter: Hashable, Sendable {
    public var queue: QueueName?
    /// The destination's label: its configured name, or the scheme and host of a URL.
    public var destination: String?
    public var batch: String?
    /// Jobs that ended before this time.
    public var endedBefore: Date?
    /// nil: the statuses in which a job can obey the verb.
    public var statuses: Set<LedgerStatus>?
    /// The last hexadecimal digits of the jobs' ids, such as `048c`: the jobs of some shards.
    public var digits: String?

    public init(
        queue: QueueName? = nil, destination: String? = nil, batch: String? = nil, endedBefore: Date? = nil,
        statuses: Set<LedgerStatus>? = nil, digits: String? = nil
    ) {
        self.queue = queue
        self.destination = destination
        self.batch = batch
        self.endedBefore = endedBefore
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
}

extension OrderFilter: Codable {
    private enum Key: String, CodingKey { case queue, destination, batch, endedBefore, statuses, digits }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init(
            queue: try container.decodeIfPresent(QueueName.self, forKey: .queue),
            destination: try container.decodeTextIfPresent(atMost: WireLimits.pathLengthMaximum, forKey: .destination),
            batch: try container.decodeTextIfPresent(atMost: WireLimits.nameLengthMaximum, forKey: .batch),
            endedBefore: try container.decodeIfPresent(Date.self, forKey: .endedBefore),
            statuses: try container.decodeIfPresent(Set<LedgerStatus>.self, forKey: .statuses),
            digits: try container.decodeIfPresent(String.self, forKey: .digits))
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
        try container.encodeIfPresent(endedBefore, forKey: .endedBefore)
        try container.encodeIfPresent(statuses?.sorted { $0.rawValue < $1.rawValue }, forKey: .statuses)
        try container.encodeIfPresent(digits, forKey: .digits)
    }
}
