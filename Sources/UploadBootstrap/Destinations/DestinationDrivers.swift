/// The drivers that this version has. A new driver is one line here.
enum DestinationDrivers {
    static let all: [any DriverSettings.Type] = [
        BridgeSettings.self,
        DirectorySettings.self,
        HTTPSettings.self,
        PresignedSettings.self,
        ResumableSettings.self,
        S3Settings.self,
        TusSettings.self,
        WebDAVSettings.self,
    ]

    /// The words that `driver` may be.
    static let names = all.map { $0.driverName }

    /// The keys of all drivers, each with the drivers that have it.
    static let keys = ConfigurationKey.owned(
        shared: ConfigurationKey.sharedByDrivers, all.map { (word: $0.driverName, keys: $0.keys) })
}
