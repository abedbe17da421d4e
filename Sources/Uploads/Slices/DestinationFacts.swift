/// What a slice has to know of its destination.
public struct DestinationFacts: Hashable, Sendable {
    /// The driver's word in ``UploadState/driver``.
    public var driver: String
    /// Whether an upload of the job can be interrupted between parts.
    public var canYield: Bool
    /// Parts in parallel of one job; nil is the worker's own default.
    public var parts: Int?

    public init(driver: String, canYield: Bool, parts: Int? = nil) {
        self.driver = driver
        self.canYield = canYield
        self.parts = parts
    }
}
