import UploadNotifier
import Uploads

/// A delegate of the kind `command`: a program that the notifier runs for each outcome.
struct CommandDelegateSettings: DelegateKindSettings {
    static let kindName = CommandConfiguration.kindName

    static let keys: [ConfigurationKey] = [
        .delegateConcurrency, .delegateTimeout,
        .delegate(
            "command", .list(.text),
            "the program's absolute path and its arguments; the event is its standard input"),
        .delegate("environment.*", .secret, "a variable of its environment"),
    ]

    /// Everything but the environment.
    var configuration: CommandConfiguration
    var environment: [String: Secret]

    init(_ section: SettingsSection) throws(ProgramError) {
        _ = try section.needed("command")
        let words = section.list("command")
        configuration = CommandConfiguration(path: words.first ?? "", arguments: Array(words.dropFirst()))
        configuration.timeout = section.seconds("timeout") ?? configuration.timeout
        environment = section.secrets(below: "environment")
    }

    func configuration(
        _ section: SettingsSection, environment: [String: String]
    ) throws(ProgramError) -> DelegateConfiguration.Kind {
        var command = configuration
        for (variable, secret) in self.environment {
            command.environment[variable] = try secret.resolve(
                environment, key: section.place("environment.\(variable)"))
        }
        return .command(command)
    }
}
