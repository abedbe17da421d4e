import UploadNotifier
import Uploads

/// A delegate of the kind `queue`: a queue of its own on the broker.
struct QueueDelegateSettings: DelegateKindSettings {
    static let kindName = QueueConfiguration.kindName
    static let keys: [ConfigurationKey] = [.delegateConcurrency, .delegateTimeout]

    var configuration: QueueConfiguration

    init(_ section: SettingsSection) {
        configuration = QueueConfiguration()
        configuration.timeout = section.seconds("timeout") ?? configuration.timeout
    }

    func configuration(_ section: SettingsSection, environment: [String: String]) -> DelegateConfiguration.Kind {
        .queue(configuration)
    }
}
