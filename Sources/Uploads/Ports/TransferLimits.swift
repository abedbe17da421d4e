/// What one worker may do at one destination at once.
public struct TransferLimits: Hashable, Sendable {
    /// Jobs; nil is no limit.
    public var jobs: Int?
    /// Parts in parallel of one job; nil is the worker's own default.
    public var parts: Int?
    /// Bytes per second; nil is no limit.
    public var bytesPerSecond: Int64?
    /// Requests per second; nil is no limit.
    public var requestsPerSecond: Double?

    public init(
        jobs: Int? = nil, parts: Int? = nil, bytesPerSecond: Int64? = nil, requestsPerSecond: Double? = nil
    ) {
        self.jobs = jobs
        self.parts = parts
        self.bytesPerSecond = bytesPerSecond
        self.requestsPerSecond = requestsPerSecond
    }
}
