/// Finds the destination that a job names.
public protocol DestinationProvider: Sendable {
    /// - Returns: nil when the configuration names no such destination (yet).
    /// - Throws: `misconfigured` when it does, but the reference makes no sense for it (a key that leaves the
    ///   directory, a URL of a scheme that nobody serves).
    func destination(for reference: DestinationReference) throws(UploadError) -> (any Destination)?

    /// When jobs for it are tried again that say nothing of it themselves; nil: as usual.
    func retry(for reference: DestinationReference) -> RetryPolicy?
}

extension DestinationProvider {
    public func retry(for reference: DestinationReference) -> RetryPolicy? { nil }
}
