import UploadDestinations
import Uploads

/// A destination of the driver `directory`.
struct DirectorySettings: DriverSettings {
    static let driverName = DirectoryDestination.driverName

    static let keys: [ConfigurationKey] = [
        .destination("path", .path, "the directory, which must exist"),
        .destination(
            "requireMount", .boolean, standard: "false",
            "whether a file system must be mounted there; else its jobs wait"),
        .destination("marker", .text, "a file below the directory that must be there; else its jobs wait"),
    ]

    /// Everything but limits.
    var configuration: DirectoryConfiguration

    init(_ section: SettingsSection) throws(ProgramError) {
        configuration = DirectoryConfiguration(
            path: try section.neededPath("path"), requiresMount: section.isTrue("requireMount"),
            marker: section.text("marker"))
    }

    func destination(_ context: DestinationContext) -> any Destination {
        var directory = configuration
        directory.limits = context.limits
        return DirectoryDestination(directory)
    }
}
