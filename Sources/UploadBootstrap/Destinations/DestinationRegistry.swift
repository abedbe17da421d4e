import Synchronization
import UploadDestinations
import UploadNotifier
public import Uploads

/// Finds destinations: those that the configuration names, and URLs that need no configuration. Reloadable.
public final class DestinationRegistry: DestinationProvider {
    private let named: Mutex<[DestinationName: any Destination]>
    private let retries: Mutex<[DestinationName: RetryPolicy]>
    private let clients = HTTPClients()
    private let urls: URLDestinations

    /// - Parameter refused: told of each destination that cannot be used, which is then left out; nil to throw instead.
    /// - Throws: `configuration` when a secret of a destination is not there.
    public init(
        _ configuration: UploadConfiguration, refused: ((DestinationName, ProgramError) -> Void)? = nil
    ) throws(ProgramError) {
        do throws(ProgramError) {
            urls = URLDestinations(client: try clients.client())
            named = Mutex(try Self.drivers(configuration, clients, refused))
            retries = Mutex(Self.retries(configuration))
        } catch {
            clients.syncShutdown()
            throw error
        }
    }

    /// Takes over the destinations and limits of a new configuration; what is under way ends as it began.
    /// - Throws: `configuration`; then nothing has changed.
    public func reload(
        _ configuration: UploadConfiguration, refused: ((DestinationName, ProgramError) -> Void)? = nil
    ) throws(ProgramError) {
        let drivers = try Self.drivers(configuration, clients, refused)
        named.withLock { $0 = drivers }
        retries.withLock { $0 = Self.retries(configuration) }
    }

    public func destination(for reference: DestinationReference) throws(UploadError) -> (any Destination)? {
        switch reference {
        case .named(let name, _): return named.withLock { $0[name] }
        case .url: return try urls.destination(for: reference)
        }
    }

    public func retry(for reference: DestinationReference) -> RetryPolicy? {
        guard case .named(let name, _) = reference else { return nil }
        return retries.withLock { $0[name] }
    }

    private static func retries(_ configuration: UploadConfiguration) -> [DestinationName: RetryPolicy] {
        (configuration.destinations ?? [:]).compactMapValues(\.retry)
    }

    /// Those that the configuration names and whose unfinished uploads can be listed, in the order of their names.
    var sweepable: [SweepTarget] {
        named.withLock { $0 }.sorted { $0.key.rawValue < $1.key.rawValue }
            .compactMap { name, destination in
                (destination as? any SweepableDestination).map { SweepTarget(name, $0) }
            }
    }

    /// Closes the connections.
    public func shutdown() async throws { try await clients.shutdown() }

    private static func drivers(
        _ configuration: UploadConfiguration, _ clients: HTTPClients,
        _ refused: ((DestinationName, ProgramError) -> Void)?
    ) throws(ProgramError) -> [DestinationName: any Destination] {
        var drivers: [DestinationName: any Destination] = [:]
        for (name, settings) in configuration.destinations ?? [:] {
            do throws(ProgramError) {
                drivers[name] = try driver(of: name, settings, configuration, clients)
            } catch {
                guard let refused else { throw error }
                refused(name, error)
            }
        }
        return drivers
    }

    private static func driver(
        of name: DestinationName, _ settings: DestinationSettings, _ configuration: UploadConfiguration,
        _ clients: HTTPClients
    ) throws(ProgramError) -> any Destination {
        switch settings.driver {
        case .directory(let path):
            return DirectoryDestination(DirectoryConfiguration(path: path, limits: settings.limits))
        case .http(let http):
            var web = HTTPConfiguration(
                url: http.url, headers: try configuration.headers(of: name, http), limits: settings.limits,
                certificateAuthorityFile: http.caFile, answersHead: http.answersHead)
            web.firstByteSeconds = http.answerSeconds ?? web.firstByteSeconds
            web.stallSeconds = http.stallSeconds ?? web.stallSeconds
            return HTTPDestination(web, client: try clients.client(proxy: http.proxy))
        case .s3(let s3):
            return try configuration.destination(name, s3, limits: settings.limits, clients)
        case .tus(let tus):
            return try configuration.destination(name, tus, limits: settings.limits, clients)
        }
    }
}
