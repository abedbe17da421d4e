import UploadDestinations
public import Uploads

/// The targets of an ``EmbeddedUploadManager``: destinations by name, as `photos:2026/11/cat.jpg`, and `https://`,
/// `http://` and `file:///` URLs, which need no configuration.
public struct EmbeddedDestinations: DestinationProvider {
    private let named: [DestinationName: any Destination]
    private let retries: [DestinationName: RetryPolicy]
    private let urls = URLDestinations()

    /// - Parameters:
    ///   - named: kept under the same names for as long as uploads to them are unfinished.
    ///   - retries: the retry policies for uploads without a policy of their own; without an entry: the standard
    ///     policy.
    public init(
        _ named: [DestinationName: any Destination] = [:], retries: [DestinationName: RetryPolicy] = [:]
    ) {
        self.named = named
        self.retries = retries
    }

    public func destination(for reference: DestinationReference) throws(UploadError) -> (any Destination)? {
        switch reference {
        case .named(let name, _): named[name]
        case .url: try urls.destination(for: reference)
        }
    }

    /// All readable destinations are allowed: the program itself chooses the objects.
    public func origin(for reference: DestinationReference) throws(UploadError) -> (any OriginDestination)? {
        try readable(reference)
    }

    public func retry(for reference: DestinationReference) -> RetryPolicy? {
        guard case .named(let name, _) = reference else { return nil }
        return retries[name]
    }
}
