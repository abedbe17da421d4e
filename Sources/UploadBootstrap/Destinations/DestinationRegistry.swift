public import Foundation
import Synchronization
import UploadDestinations
import UploadNotifier
public import Uploads

/// Finds the destination of a job: one that the configuration names, or a URL, which needs no configuration. Can be reloaded.
public final class DestinationRegistry: DestinationProvider {
    private struct Named: Sendable {
        let drivers: [DestinationName: any Destination]
        let retries: [DestinationName: RetryPolicy]
        let patiences: [DestinationName: TimeInterval]
        /// The destinations that jobs may read from.
        let sources: Set<DestinationName>
        let sourceURLs: SourceURLs
    }

    private let named: Mutex<Named>
    private let clients = HTTPClients()
    private let urls: URLDestinations

    /// - Parameter refused: called for each destination that cannot be used, which is then left out; nil: the initializer throws instead.
    /// - Throws: `configuration` when a secret of a destination is missing.
    public init(
        _ configuration: UploadConfiguration, refused: ((DestinationName, ProgramError) -> Void)? = nil
    ) throws(ProgramError) {
        do throws(ProgramError) {
            urls = URLDestinations(client: try clients.client())
            named = Mutex(try Self.named(configuration, clients, refused))
        } catch {
            clients.syncShutdown()
            throw error
        }
    }

    /// Replaces destinations and limits by those of a new configuration; uploads under way end with the old ones.
    /// - Throws: `configuration`; then the old configuration stays.
    public func reload(
        _ configuration: UploadConfiguration, refused: ((DestinationName, ProgramError) -> Void)? = nil
    ) throws(ProgramError) {
        let new = try Self.named(configuration, clients, refused)
        named.withLock { $0 = new }
    }

    public func destination(for reference: DestinationReference) throws(UploadError) -> (any Destination)? {
        switch reference {
        case .named(let name, _): return named.withLock { $0.drivers[name] }
        case .url: return try urls.destination(for: reference)
        }
    }

    public func origin(for reference: DestinationReference) throws(UploadError) -> (any OriginDestination)? {
        let named = named.withLock { $0 }
        switch reference {
        case .named(let name, _):
            guard named.drivers[name] == nil || named.sources.contains(name) else {
                throw UploadError(
                    .accessDenied,
                    "jobs may not read from the destination '\(name)': add 'source: true' to it in the workers' configuration",
                    retry: .never)
            }
        case .url(let url):
            guard named.sourceURLs.contains(url) else {
                throw UploadError(
                    .accessDenied,
                    "jobs may not read \(reference.displayText): it lies below none of the workers' sourceURLs; add the folder that "
                        + "it lies in, or fetch it and hand it to enqueue-upload on standard input", retry: .never)
            }
        }
        return try readable(reference)
    }

    public func retry(for reference: DestinationReference) -> RetryPolicy? {
        guard case .named(let name, _) = reference else { return nil }
        return named.withLock { $0.retries[name] }
    }

    public func patience(for reference: DestinationReference) -> TimeInterval {
        guard case .named(let name, _) = reference else { return JobLifetime.patience }
        return named.withLock { $0.patiences[name] } ?? JobLifetime.patience
    }

    private static func named(
        _ configuration: UploadConfiguration, _ clients: HTTPClients,
        _ refused: ((DestinationName, ProgramError) -> Void)?
    ) throws(ProgramError) -> Named {
        let destinations = configuration.destinations ?? [:]
        return Named(
            drivers: try drivers(configuration, clients, refused), retries: destinations.compactMapValues(\.retry),
            patiences: destinations.compactMapValues(\.patience),
            sources: Set(destinations.filter(\.value.isSource).keys), sourceURLs: configuration.sourceURLs)
    }

    /// The configured destinations whose unfinished uploads can be listed, in the order of their names.
    var sweepable: [SweepTarget] {
        named.withLock { $0.drivers }.sorted { $0.key.rawValue < $1.key.rawValue }
            .compactMap { name, destination in
                // A sweep of any other one would only end in a warning.
                guard let destination = destination as? any SweepableDestination, destination.canBeSwept else {
                    return nil
                }
                return SweepTarget(name, destination)
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
                drivers[name] = try settings.driver.destination(
                    DestinationContext(name, limits: settings.limits, configuration, clients))
            } catch {
                guard let refused else { throw error }
                refused(name, error)
            }
        }
        return drivers
    }
}
