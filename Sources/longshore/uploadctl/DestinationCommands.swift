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
        abstract: "Lists destinations with their limits and their jobs.")

    @OptionGroup var options: InquiryOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func inquiry() throws -> Inquiry { .destinations }
}

struct DestinationTestCommand: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Tries a destination out, and explains problems in plain words.",
        discussion: """
            The test looks at the destination, begins an upload, sends one part and removes
            both, from this host and with this host's configuration, as a worker here
            would. Nothing stays at the destination, unless --write is given.

            In a bucket of S3 the test writes a small object and one of 8 MiB in two parts,
            below a prefix of its own. With these it finds out the server's features
            (conditions, checksums, ETags) and the rights of the credentials. It lists the
            lines that the configuration should have, and the rights that are missing.
            """)

    @Argument(
        help: ArgumentHelp("A destination of the configuration.", valueName: "name"),
        completion: NameCompletion.destinations)
    var name: String

    @Option(help: ArgumentHelp("Write 1 KiB under this key, which stays.", valueName: "key"))
    var write: String?

    @Option(
        help: ArgumentHelp(
            "The prefix of all other keys, which the test writes and removes again.", valueName: "prefix"))
    var prefix = ""

    @OptionGroup var output: OutputOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func perform() async throws -> UploadBootstrap.ExitCode {
        try await Bootstrap.tryDestination(
            TrialRequest(name: name, key: write, prefix: prefix, format: output.format), common.input,
            checkConfig: common.checkConfig)
    }
}

struct DestinationSweepCommand: OrderCommand {
    static let configuration = CommandConfiguration(
        commandName: "sweep",
        abstract: "Removes unfinished uploads that no job will go on with.",
        discussion: """
            The notifier does this, because only its ledger names the uploads that jobs
            still need. An upload stays unless it is certainly abandoned. The notifier also
            does this by itself every hour.
            """)

    @Argument(
        help: ArgumentHelp("A destination of the notifier's configuration.", valueName: "name"),
        completion: NameCompletion.destinations)
    var name: String

    @Option(
        help: ArgumentHelp(
            "Only uploads that were begun so long ago (default: notifier.sweepAfter).", valueName: "duration"))
    var olderThan: String?

    @OptionGroup var options: SweepOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func requests() throws -> [OrderRequest] { [try options.destination(name, olderThan: olderThan)] }
}
