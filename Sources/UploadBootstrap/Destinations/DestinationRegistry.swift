import AsyncHTTPClient
import Synchronization
import UploadDestinations
public import Uploads

/// Finds destinations: those that the configuration names, and URLs that need no configuration. Reloadable.
public final class DestinationRegistry: DestinationProvider {
    private let named: Mutex<[DestinationName: any Destination]>
    private let client: HTTPClient
    /// For `https://` and `http://` URLs, which bring everything with them.
    private let web: HTTPDestination
    /// For `file:///` URLs: whatever the worker's user may write to.
    private let files = DirectoryDestination(DirectoryConfiguration(path: "/"))

    /// - Throws: `configuration` when a secret of a destination is not there.
    public init(_ configuration: UploadConfiguration) throws(ProgramError) {
        client = HTTPClient(
            eventLoopGroupProvider: .singleton, configuration: HTTPConfiguration.clientConfiguration)
        web = HTTPDestination(HTTPConfiguration(), client: client)
        do throws(ProgramError) {
            named = Mutex(try Self.drivers(configuration, client))
        } catch {
            try? client.syncShutdown()
            throw error
        }
    }

    /// Takes over the destinations and limits of a new configuration; what is under way ends as it began.
    /// - Throws: `configuration`; then nothing has changed.
    public func reload(_ configuration: UploadConfiguration) throws(ProgramError) {
        let drivers = try Self.drivers(configuration, client)
        named.withLock { $0 = drivers }
    }

    public func destination(for reference: DestinationReference) throws(UploadError) -> (any Destination)? {
        switch reference {
        case .named(let name, _): return named.withLock { $0[name] }
        case .url:
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

    /// Closes the connections.
    public func shutdown() async throws { try await client.shutdown() }

    private static func drivers(
        _ configuration: UploadConfiguration, _ client: HTTPClient
    ) throws(ProgramError) -> [DestinationName: any Destination] {
        var drivers: [DestinationName: any Destination] = [:]
        for (name, settings) in configuration.destinations ?? [:] {
            switch settings.driver {
            case .directory(let path):
                drivers[name] = DirectoryDestination(DirectoryConfiguration(path: path, limits: settings.limits))
            case .http(let http):
                let web = HTTPConfiguration(
                    url: http.url, headers: try configuration.headers(of: name, http), limits: settings.limits,
                    certificateAuthorityFile: http.caFile, answersHead: http.answersHead)
                drivers[name] = HTTPDestination(web, client: client)
            }
        }
        return drivers
    }
}
