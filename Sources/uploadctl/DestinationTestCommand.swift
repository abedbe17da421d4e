import ArgumentParser
import UploadBootstrap

struct DestinationTestCommand: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Tries a destination out and says in plain words what is wrong.",
        discussion: """
            It looks, begins an upload, sends one part and removes both, from this host
            and with this host's configuration, as a worker here would. Nothing stays
            there, unless --write says so.
            """)

    @Argument(
        help: ArgumentHelp("A destination of the configuration.", valueName: "name"),
        completion: NameCompletion.destinations)
    var name: String

    @Option(help: ArgumentHelp("Write 1 KiB under this key, which stays.", valueName: "key"))
    var write: String?

    @Flag(help: "Print the report as a JSON object.")
    var json = false

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func perform() async throws -> UploadBootstrap.ExitCode {
        try await Bootstrap.tryDestination(
            TrialRequest(name: name, key: write, printsJSON: json), common.input, checkConfig: common.checkConfig)
    }
}
