import ArgumentParser
import UploadBootstrap
import Uploads

struct DestinationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "destination",
        abstract: "Lists, tries out and looks after destinations.",
        subcommands: [
            DestinationListCommand.self, DestinationTestCommand.self, DestinationSweepCommand.self,
        ],
        defaultSubcommand: DestinationListCommand.self)

    static let examples = """
        EXAMPLES
          uploadctl destination list
          uploadctl destination test photos
          uploadctl destination test photos --write test/file
          uploadctl destination sweep photos --dry-run
          uploadctl destination sweep photos --older-than 12h
        """
}

struct DestinationListCommand: InquiryCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists destinations with their limits and what waits for them.")

    @OptionGroup var options: InquiryOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func inquiry() throws -> Inquiry { .destinations }
}

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

struct DestinationSweepCommand: OrderCommand {
    static let configuration = CommandConfiguration(
        commandName: "sweep",
        abstract: "Removes unfinished uploads that nobody will go on with.",
        discussion: """
            The notifier does it, for it alone knows which uploads a job still names. What
            is not certainly abandoned stays. It does the same by itself every hour.
            """)

    @Argument(
        help: ArgumentHelp("A destination of the notifier's configuration.", valueName: "name"),
        completion: NameCompletion.destinations)
    var name: String

    @Option(
        help: ArgumentHelp("Only what was begun before (default: notifier.sweepAfter).", valueName: "duration"))
    var olderThan: String?

    @OptionGroup var options: SweepOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func requests() throws -> [OrderRequest] { [try options.destination(name, olderThan: olderThan)] }
}
