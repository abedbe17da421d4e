import UploadNotifier
import Uploads

/// A delegate of the kind `log`: a file that the notifier appends outcomes to.
struct LogDelegateSettings: DelegateKindSettings {
    static let kindName = LogConfiguration.kindName

    static let keys: [ConfigurationKey] = [
        .delegate("path", .path, "the file that outcomes are appended to"),
        .delegate(
            "rotateBytes", .bytes(4096...(1 << 50)), standard: "64MiB", "a new file is begun after this size"),
        .delegate("keep", .integer(1...1000), standard: "5", "files kept beside the current one"),
    ]

    var configuration: LogConfiguration

    init(_ section: SettingsSection) throws(ProgramError) {
        configuration = LogConfiguration(path: try section.neededPath("path"))
        configuration.rotateBytes = section.bytes("rotateBytes") ?? configuration.rotateBytes
        configuration.keepCount = section.integer("keep") ?? configuration.keepCount
    }

    func configuration(_ section: SettingsSection, environment: [String: String]) -> DelegateConfiguration.Kind {
        .log(configuration)
    }
}
