/// Where a job enters the serial line of its transfer queue. JSON `{}`, `{"index": 0}`, `{"after": "…", "index": 3}`.
public struct SerialPosition: Codable, Hashable, Sendable {
    /// At the end.
    public static let end = SerialPosition()
    /// Before all waiting jobs.
    public static let next = SerialPosition(index: 0)

    /// How many of the waiting jobs stay ahead of it, 0 or more; nil, or more than wait, is the end. A released job is
    /// not counted.
    public var index: Int?
    /// Directly behind this job, so that jobs that belong together stay so though the line moves on between their
    /// messages. If that job has been released, this one comes next; ``index`` holds if that job is not known or was
    /// taken out of the line.
    public var after: JobID?

    /// - Precondition: `index` is not negative.
    public init(index: Int? = nil, after: JobID? = nil) {
        precondition((index ?? 0) >= 0, "a place in a line is 0 or more")
        self.index = index.map { min($0, WireLimits.countMaximum) }
        self.after = after
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        index = try container.decodeIfPresent(0...WireLimits.countMaximum, forKey: .index)
        after = try container.decodeIfPresent(JobID.self, forKey: .after)
    }
}
