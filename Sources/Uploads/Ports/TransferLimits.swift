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
        self.jobs = jobs
        self.parts = parts
        self.bytesPerSecond = bytesPerSecond.map { max(1, $0) }
        self.requestsPerSecond = requestsPerSecond.map { max(1, $0) }
    }
}
