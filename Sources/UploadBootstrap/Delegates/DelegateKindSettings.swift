import UploadNotifier
import Uploads

/// A kind of delegate as the configuration knows it: its word, its keys, and the settings that were read from them. A value of the type is
/// the settings of one delegate.
protocol DelegateKindSettings: Sendable {
    /// The word after `kind:`.
    static var kindName: String { get }

    /// Everything that may be set below `delegates.NAME`, but for the keys that all delegates have. A key that other
    /// kinds have, too, is one of ``ConfigurationKey/sharedByKinds``.
    static var keys: [ConfigurationKey] { get }

    /// Reads the settings; secrets are read later, when a delegate is made.
    /// - Throws: `configuration` for a key that is missing.
    init(_ section: SettingsSection) throws(ProgramError)

    /// The configuration with its secrets.
    /// - Throws: `configuration` when a secret or a file is missing.
    func configuration(
        _ section: SettingsSection, environment: [String: String]
    ) throws(ProgramError) -> DelegateConfiguration.Kind
}

extension ConfigurationKey {
    /// The keys that several kinds of delegates have.
    static let sharedByKinds: [ConfigurationKey] = [delegateConcurrency, delegateTimeout]

    static let delegateConcurrency = delegate(
        "concurrency", .integer(DelegateConfiguration.concurrencyRange),
        standards: ["webhook": "8", "queue": "64", "command": "4"], "deliveries at once")
    static let delegateTimeout = delegate(
        "timeout", .duration(DelegateConfiguration.timeoutRange),
        standards: ["webhook": "20s", "queue": "60s", "command": "30s"], "the time for one delivery")
}
