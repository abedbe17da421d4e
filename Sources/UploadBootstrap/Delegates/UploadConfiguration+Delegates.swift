import Foundation
import Logging
import UploadNotifier
import Uploads

extension UploadConfiguration {
    /// The configured delegates, ready to be served.
    /// - Parameter queues: the broker's queues for delegates of the kind `queue`.
    /// - Throws: `configuration` when a delegate cannot be made.
    func registeredDelegates(
        queues: any DelegateQueues, logger: Logger
    ) throws(ProgramError) -> [RegisteredDelegate] {
        let networks = try networks()
        var registered: [RegisteredDelegate] = []
        for delegate in delegates {
            let configuration = try configuration(of: delegate)
            do throws(UploadError) {
                registered.append(
                    try RegisteredDelegate(configuration, allowNetworks: networks, queues: queues, logger: logger))
            } catch {
                throw delegate.section.problem("kind", error.message)
            }
        }
        return registered
    }

    /// Hands the configured delegates to the manager, and the function that makes delegates that were registered at run time.
    func configure(_ manager: DelegateManager, queues: any DelegateQueues, logger: Logger) async throws {
        let networks = try networks()
        let delegates = try registeredDelegates(queues: queues, logger: logger)
        try await manager.configure(delegates, allowNetworks: networks) { (definition) throws(UploadError) in
            try RegisteredDelegate(definition, allowNetworks: networks, queues: queues, logger: logger)
        }
    }

    private func configuration(of delegate: DelegateSettings) throws(ProgramError) -> DelegateConfiguration {
        var configuration = DelegateConfiguration(
            name: delegate.name, kind: try delegate.kind.configuration(delegate.section, environment: environment),
            filter: delegate.filter,
            isOrdered: delegate.isOrdered, concurrencyMaximum: delegate.concurrency)
        if !delegate.types.isEmpty {
            configuration.types = Set(delegate.types.compactMap { EventKind(rawValue: $0) })
        }
        guard !delegate.fields.isEmpty else { return configuration }
        do throws(UploadError) {
            configuration.mapping = try FieldMapping(delegate.fields)
        } catch {
            throw delegate.section.problem("fields", error.message)
        }
        return configuration
    }

    /// The names of the delegates that have a queue on the broker.
    var queueDelegates: [String] { delegates.filter { $0.kind is QueueDelegateSettings }.map(\.name) }

    /// The private networks that webhooks may point to.
    func networks() throws(ProgramError) -> [NetworkRange] {
        var ranges: [NetworkRange] = []
        for text in notifier.allowNetworks {
            do throws(UploadError) {
                ranges.append(try NetworkRange(text))
            } catch {
                throw ProgramError(.configuration, "\(settings.place("notifier.allowNetworks")): \(error.message)")
            }
        }
        return ranges
    }
}
