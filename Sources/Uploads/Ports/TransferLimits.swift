/// What one worker may do at one destination at once.
public struct TransferLimits: Codable, Hashable, Sendable {
    /// Jobs; nil is no limit.
    public var jobs: Int?
    /// Parts in parallel of one job; nil is the worker's own default.
    public var parts: Int?
    /// Bytes read for it in a second, over all jobs and parts; nil is no limit.
    public var bytesPerSecond: Int64?
    /// Steps at it in a second (a probe, an open, a part, a completing call, a removal), over all jobs; nil is no limit.
    public var requestsPerSecond: Int?

    public init(
        jobs: Int? = nil, parts: Int? = nil, bytesPerSecond: Int64? = nil, requestsPerSecond: Int? = nil
    ) {
        self.jobs = jobs.map { min(max(0, $0), WireLimits.countMaximum) }
        self.parts = parts.map { min(max(0, $0), WireLimits.countMaximum) }
        self.bytesPerSecond = bytesPerSecond.map { min(max(1, $0), WireLimits.bytesSentMaximum) }
        self.requestsPerSecond = requestsPerSecond.map { min(max(1, $0), WireLimits.countMaximum) }
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            jobs: try container.decodeIfPresent(0...WireLimits.countMaximum, forKey: .jobs),
            parts: try container.decodeIfPresent(0...WireLimits.countMaximum, forKey: .parts),
            bytesPerSecond: try container.decodeIfPresent(1...WireLimits.bytesSentMaximum, forKey: .bytesPerSecond),
            requestsPerSecond: try container.decodeIfPresent(1...WireLimits.countMaximum, forKey: .requestsPerSecond))
    }
}
