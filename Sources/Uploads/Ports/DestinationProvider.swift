public import Foundation

/// Finds the destination that a job names.
public protocol DestinationProvider: Sendable {
    /// - Returns: nil when the configuration names no such destination (yet).
    /// - Throws: `misconfigured` when it does, but the reference makes no sense for it (a key that leaves the
    ///   directory, a URL of a scheme that nobody serves).
    func destination(for reference: DestinationReference) throws(UploadError) -> (any Destination)?

    /// The same, to read an object from.
    /// - Returns: nil when the configuration names no such destination (yet).
    /// - Throws: `accessDenied` where the configuration does not let jobs read; `misconfigured` as above, and for a driver that only
    ///   writes.
    func origin(for reference: DestinationReference) throws(UploadError) -> (any OriginDestination)?

    /// When jobs for it are tried again that say nothing of it themselves; nil: as usual.
    func retry(for reference: DestinationReference) -> RetryPolicy?

    /// Seconds that its jobs wait for it before they are given up.
    func patience(for reference: DestinationReference) -> TimeInterval
}

extension DestinationProvider {
    /// The destination, to be read by whoever may.
    /// - Throws: `misconfigured` as `destination` does, and for a driver that only writes.
    public func readable(_ reference: DestinationReference) throws(UploadError) -> (any OriginDestination)? {
        guard let destination = try destination(for: reference) else { return nil }
        guard let origin = destination as? any OriginDestination else {
            throw UploadError(
                .misconfigured,
                "\(reference.displayText) cannot be read: its driver '\(destination.driver)' only writes", retry: .never
            )
        }
        return origin
    }

    /// For those that let nobody read.
    public func origin(for reference: DestinationReference) throws(UploadError) -> (any OriginDestination)? {
        throw UploadError(
            .accessDenied, "\(reference.displayText) may not be read by jobs: nothing here allows it", retry: .never)
    }

    public func retry(for reference: DestinationReference) -> RetryPolicy? { nil }

    public func patience(for reference: DestinationReference) -> TimeInterval { JobLifetime.patience }
}
