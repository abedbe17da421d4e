import Uploads

/// A driver as the configuration knows it: its word, its keys, the settings that were read from them, and the destination that they make.
/// A value of the type is the settings of one destination.
protocol DriverSettings: Hashable, Sendable {
    /// The word after `driver:`; also ``UploadState/driver`` of the driver's uploads.
    static var driverName: String { get }

    /// Everything that may be set below `destinations.NAME`, but for the keys that all destinations have. A key that
    /// other drivers have, too, is one of ``ConfigurationKey/sharedByDrivers``.
    static var keys: [ConfigurationKey] { get }

    /// Reads the settings; secrets are read later, when a destination is made.
    /// - Throws: `configuration` for a key that is missing, or keys that contradict each other.
    init(_ section: SettingsSection) throws(ProgramError)

    /// - Throws: `configuration` when a secret is missing, or for a value that the driver refuses.
    func destination(_ context: DestinationContext) throws(ProgramError) -> any Destination
}

extension DriverSettings {
    var driverName: String { Self.driverName }
}
