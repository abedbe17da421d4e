import UploadDestinations
public import Uploads

/// Where an ``EmbeddedUploadManager`` can upload to: destinations by name, as `photos:2026/11/cat.jpg`, and `https://`, `http://` and
/// `file:///` URLs, which bring everything with them.
public struct EmbeddedDestinations: DestinationProvider {
    private let named: [DestinationName: any Destination]
    private let retries: [DestinationName: RetryPolicy]
    private let urls = URLDestinations()

    /// - Parameters:
    ///   - named: kept under the same names for as long as uploads to them are unfinished.
    ///   - retries: when uploads that say nothing of it themselves are tried again; left out: as usual.
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

    /// All that can be read: it is the program itself that names what it carries.
    public func origin(for reference: DestinationReference) throws(UploadError) -> (any OriginDestination)? {
        try readable(reference)
    }

    public func retry(for reference: DestinationReference) -> RetryPolicy? {
        guard case .named(let name, _) = reference else { return nil }
        return retries[name]
    }
}
