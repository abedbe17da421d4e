import Logging
import UploadNotifier
import Uploads

extension UploadConfiguration {
    /// The delegates as the notifier serves them.
    /// - Throws: `configuration` when one cannot be.
    func registeredDelegates(logger: Logger) throws(ProgramError) -> [RegisteredDelegate] {
        let networks = try networks()
        var registered: [RegisteredDelegate] = []
        for delegate in delegates {
            let kind: DelegateConfiguration.Kind
            switch delegate.kind {
            case .log(let path, let rotateBytes):
                var configuration = LogConfiguration(path: path)
                if let rotateBytes { configuration.rotateBytes = rotateBytes }
                kind = .log(configuration)
            case .webhook(let url, let secrets):
                let place = settings.place("delegates.\(delegate.name).secret")
                var texts: [String] = []
                for secret in secrets { texts.append(try secret.resolve(environment, key: place)) }
                kind = .webhook(WebhookConfiguration(url: url, secrets: texts))
            }
            var configuration = DelegateConfiguration(name: delegate.name, kind: kind)
            if !delegate.types.isEmpty {
                configuration.types = Set(delegate.types.compactMap { EventKind(rawValue: $0) })
            }
            do throws(UploadError) {
                registered.append(try RegisteredDelegate(configuration, allowNetworks: networks, logger: logger))
            } catch {
                throw ProgramError(
                    .configuration, "\(settings.place("delegates.\(delegate.name).kind")): \(error.message)")
            }
        }
        return registered
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
