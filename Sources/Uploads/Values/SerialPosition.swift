/// Where a job enters the serial line of its transfer queue. JSON `{}`, `{"index": 0}`, `{"after": "…", "index": 3}`.
public struct SerialPosition: Codable, Hashable, Sendable {
    /// At the end.
    public static let end = SerialPosition()
    /// Before all that wait.
    public static let next = SerialPosition(index: 0)

    /// How many of those that still wait stay ahead of it, 0 or more; nil, or more than wait, is the end. What has been
    /// released is not counted.
    public var index: Int?
    /// Directly behind this job, for several that belong together: the line moves on between one message and the next. Once that
    /// one has been released, the job comes next; ``index`` holds where the other is not known or was taken out of the line.
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
