public import Uploads

/// A destination as its configuration describes it, without its credentials.
public struct DestinationSummary: Hashable, Sendable {
    public var name: String
    public var driver: String
    public var limits: TransferLimits

    public init(name: String, driver: String, limits: TransferLimits) {
        self.name = name
        self.driver = driver
        self.limits = limits
    }
}
