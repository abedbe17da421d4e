public import AsyncHTTPClient
public import Uploads

/// Destinations for URLs that need no configuration: `https://` and `http://`, and `file:///` for every path that this user may write to.
public struct URLDestinations: Sendable {
    private let web: HTTPDestination
    private let files = DirectoryDestination(DirectoryConfiguration(path: "/"))

    /// - Parameter client: made with ``HTTPConfiguration/clientConfiguration``; its owner shuts it down.
    public init(client: HTTPClient = HTTPConfiguration.sharedClient) {
        web = HTTPDestination(HTTPConfiguration(), client: client)
    }

    /// - Returns: nil for a name.
    /// - Throws: `misconfigured` for a URL whose scheme no destination serves.
    public func destination(for reference: DestinationReference) throws(UploadError) -> (any Destination)? {
        guard case .url = reference else { return nil }
        switch reference.label {
        case "https", "http": return web
        case "file": return files
        default:
            throw UploadError(
                .misconfigured,
                "no destination serves the scheme '\(reference.label)'; use https://, http:// or file:///")
        }
    }
}
