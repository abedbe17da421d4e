/// What one worker may do at one destination at once.
public struct TransferLimits: Hashable, Sendable {
    /// Jobs; nil is no limit.
    public var jobs: Int?
    /// Parts in parallel of one job; nil is the worker's own default.
    public var parts: Int?

    public init(jobs: Int? = nil, parts: Int? = nil) {
        self.jobs = jobs
        self.parts = parts
    }
}
