import Foundation
import Logging
import UploadNotifier
import Uploads

extension UploadConfiguration {
    /// The delegates as the notifier serves them.
    /// - Parameter queues: where queue delegates have their queues.
    /// - Throws: `configuration` when one cannot be.
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
                throw ProgramError(
                    .configuration, "\(settings.place("delegates.\(delegate.name).kind")): \(error.message)")
            }
        }
        return registered
    }

    /// Gives the delegates to the manager, with what those need that were registered at run time.
    func configure(_ manager: DelegateManager, queues: any DelegateQueues, logger: Logger) async throws {
        let networks = try networks()
        let delegates = try registeredDelegates(queues: queues, logger: logger)
        try await manager.configure(delegates, allowNetworks: networks) { (definition) throws(UploadError) in
            try RegisteredDelegate(definition, allowNetworks: networks, queues: queues, logger: logger)
        }
    }

    private func configuration(of delegate: DelegateSettings) throws(ProgramError) -> DelegateConfiguration {
        var configuration = DelegateConfiguration(
            name: delegate.name, kind: try kind(of: delegate), filter: delegate.filter,
            isOrdered: delegate.isOrdered, concurrencyMaximum: delegate.concurrency)
        if !delegate.types.isEmpty {
            configuration.types = Set(delegate.types.compactMap { EventKind(rawValue: $0) })
        }
        guard !delegate.fields.isEmpty else { return configuration }
        do throws(UploadError) {
            configuration.mapping = try FieldMapping(delegate.fields)
        } catch {
            throw ProgramError(.configuration, "\(place(of: delegate, "fields")): \(error.message)")
        }
        return configuration
    }

    private func kind(of delegate: DelegateSettings) throws(ProgramError) -> DelegateConfiguration.Kind {
        switch delegate.kind {
        case .log(let path, let rotateBytes, let keep):
            var configuration = LogConfiguration(path: path)
            if let rotateBytes { configuration.rotateBytes = rotateBytes }
            if let keep { configuration.keepCount = keep }
            return .log(configuration)
        case .queue:
            var configuration = QueueConfiguration()
            if let timeout = delegate.timeout { configuration.timeout = timeout }
            return .queue(configuration)
        case .command(let words, let environment):
            var configuration = CommandConfiguration(path: words.first ?? "", arguments: Array(words.dropFirst()))
            for (variable, secret) in environment {
                let place = place(of: delegate, "environment.\(variable)")
                configuration.environment[variable] = try secret.resolve(self.environment, key: place)
            }
            if let timeout = delegate.timeout { configuration.timeout = timeout }
            return .command(configuration)
        case .webhook(let url, let secrets, let mode, let caFile):
            var texts: [String] = []
            for secret in secrets {
                texts.append(try secret.resolve(environment, key: place(of: delegate, "secret")))
            }
            var configuration = WebhookConfiguration(url: url, secrets: texts)
            configuration.mode = mode.flatMap { .init(rawValue: $0) } ?? configuration.mode
            if let timeout = delegate.timeout { configuration.timeout = timeout }
            if let caFile {
                guard let authorities = FileManager.default.contents(atPath: caFile) else {
                    throw ProgramError(
                        .configuration,
                        "\(place(of: delegate, "caFile")): cannot read \(caFile); check that it exists and may be read")
                }
                configuration.authorities = authorities
            }
            return .webhook(configuration)
        }
    }

    /// The delegates that have a queue on the broker, by their names.
    var queueDelegates: [String] { delegates.filter { $0.kind == .queue }.map(\.name) }

    /// Where a key of a delegate stands, or one below it.
    private func place(of delegate: DelegateSettings, _ key: String) -> String {
        let path = "delegates.\(delegate.name).\(key)"
        let first = settings.paths(below: path).first
        return settings.place(first ?? path)
    }

    /// The networks that webhooks may point to though they are not public.
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
