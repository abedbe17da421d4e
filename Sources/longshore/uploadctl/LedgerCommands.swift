import ArgumentParser
import UploadBootstrap

struct LedgerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ledger",
        abstract: "Looks after the notifier's ledger.",
        subcommands: [
            LedgerStatusCommand.self, LedgerBackupCommand.self, LedgerAdoptCommand.self, LedgerCopyCommand.self,
        ])

    static let examples = """
        EXAMPLES
          uploadctl ledger status
          uploadctl ledger backup /var/backups/longshore/ledger.sqlite
          uploadctl ledger adopt --ledger /var/lib/longshore/ledger.sqlite
          uploadctl ledger copy /var/lib/longshore/ledger.sqlite postgres://longshore@db/longshore
        """
}

struct LedgerStatusCommand: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Shows the ledger, the notifier that works with it, and what waits for it.",
        discussion: """
            Reads the ledger itself and asks the broker, so it also works without a
            notifier. Run it where the ledger is, as the notifier's user. Exit status 1 if
            the namespace has another ledger, or no notifier takes events.
            """)

    @Option(
        help: ArgumentHelp("The ledger (default: 'notifier.ledger').", valueName: "path or URL"),
        completion: .file())
    var ledger: String?

    @OptionGroup var output: OutputOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func perform() async throws -> UploadBootstrap.ExitCode {
        var input = common.input
        input.set("notifier.ledger", to: ledger, flag: "--ledger")
        return try await Bootstrap.showLedger(input, format: output.format, checkConfig: common.checkConfig)
    }
}

struct LedgerBackupCommand: InquiryCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Writes a checked copy of the ledger at one moment, while the ledger is in use.",
        discussion: """
            The notifier writes the copy, on its own host and as its own user. An older
            backup at that path is replaced, any other file is not.
            """)

    @Argument(help: ArgumentHelp("An absolute path on the notifier's host.", valueName: "path"), completion: .file())
    var path: String

    @OptionGroup var options: InquiryOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func validate() throws {
        guard path.hasPrefix("/") else {
            throw ValidationError("the path is one of the notifier's host: begin it with /")
        }
    }

    func inquiry() throws -> Inquiry { .backUp(path) }
}

struct LedgerAdoptCommand: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "adopt",
        abstract: "Gives the namespace another ledger, after listing the losses.",
        discussion: """
            A namespace has one ledger: a notifier with another ledger, or with an old
            copy, is not ready and says so. Run this on the host of the new ledger, as its
            notifier's user, with the notifier's broker. That notifier may be up and
            waiting: it begins to work by itself. A notifier with the old ledger stops.
            """)

    @Option(
        help: ArgumentHelp(
            "The ledger that the namespace is to have (default: 'notifier.ledger').", valueName: "path or URL"),
        completion: .file())
    var ledger: String?

    @Flag(help: "Do not ask.")
    var yes = false

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func perform() async throws -> UploadBootstrap.ExitCode {
        var input = common.input
        input.set("notifier.ledger", to: ledger, flag: "--ledger")
        return try await Bootstrap.adoptLedger(input, isConfirmed: yes, checkConfig: common.checkConfig)
    }
}

struct LedgerCopyCommand: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract: "Copies a ledger into a new one: from SQLite to PostgreSQL, or back.",
        discussion: """
            Stop the notifier first; uploads go on, and their events wait. The copy is
            compared with its source at the end. If it is interrupted, run the same command
            again, and it goes on. The password of a database comes from its URL, from
            PGPASSWORD or ~/.pgpass, that of 'notifier.ledger' also from
            'notifier.ledgerPassword'.
            """)

    @Argument(
        help: ArgumentHelp("The ledger to copy.", valueName: "from"), completion: .file())
    var from: String

    @Argument(
        help: ArgumentHelp("The new ledger: a path or a postgres:// URL.", valueName: "to"), completion: .file())
    var to: String

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func perform() async throws -> UploadBootstrap.ExitCode {
        try await Bootstrap.copyLedger(common.input, from: from, to: to, checkConfig: common.checkConfig)
    }
}
