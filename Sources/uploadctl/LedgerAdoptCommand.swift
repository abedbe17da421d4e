import ArgumentParser
import UploadBootstrap

struct LedgerAdoptCommand: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "adopt",
        abstract: "Gives the namespace another ledger, and lists first what is lost by that.",
        discussion: """
            A namespace has one ledger: a notifier with another one, or with an old copy,
            is not ready and says so. Run this where that ledger is, as its notifier's
            user, with the notifier's broker. The notifier may be up and waiting: it goes
            to work by itself. One that works with the other ledger stops.
            """)

    @Option(
        help: ArgumentHelp("The ledger that the namespace is to have (default: 'notifier.ledger').", valueName: "path"),
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
