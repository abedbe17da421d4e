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

            At a bucket of S3 it writes a small object and one of 8 MiB in two parts, below
            a prefix of its own, and finds out with them what the server does (conditions,
            checksums, ETags) and what the credentials may do. It says which lines the
            configuration should have and which rights are missing.
            """)

    @Argument(
        help: ArgumentHelp("A destination of the configuration.", valueName: "name"),
        completion: NameCompletion.destinations)
    var name: String

    @Option(help: ArgumentHelp("Write 1 KiB under this key, which stays.", valueName: "key"))
    var write: String?

    @Option(
        help: ArgumentHelp(
            "What the keys of all else begin with that it writes and removes again.", valueName: "prefix"))
    var prefix = ""

    @Flag(help: "Print the report as a JSON object.")
    var json = false

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func perform() async throws -> UploadBootstrap.ExitCode {
        try await Bootstrap.tryDestination(
            TrialRequest(name: name, key: write, prefix: prefix, printsJSON: json), common.input,
            checkConfig: common.checkConfig)
    }
}
