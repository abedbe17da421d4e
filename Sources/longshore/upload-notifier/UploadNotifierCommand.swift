import ArgumentParser
import UploadBootstrap

struct UploadNotifierCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "upload-notifier",
        abstract: "Records the outcome of every upload and delivers it to the delegates.",
        usage: "upload-notifier [options]",
        discussion: """
            Uploads go on while it is down; its record is complete when it is back. A
            namespace has one ledger. One notifier works with it, and a second one with
            the same ledger stands by. A notifier with another ledger is not ready and
            consumes nothing ('uploadctl ledger adopt'). SIGHUP reloads the delegates.
            """,
        version: ProgramVersion.line(of: "upload-notifier"))

    /// The end of `--help`.
    static let examples = """
        EXAMPLES
          upload-notifier
          upload-notifier --ledger /var/lib/longshore/ledger.sqlite
          upload-notifier --config /etc/longshore/upload.yaml --check-config
        """

    @Option(help: ArgumentHelp("The ledger, a SQLite file or a PostgreSQL database.", valueName: "path or URL"))
    var ledger: String?

    @Option(
        help: ArgumentHelp("HTTP API, health and metrics, or off (default: 127.0.0.1:9700).", valueName: "host:port"))
    var http: String?

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    var input: ConfigurationInput {
        var input = common.input
        input.set("notifier.ledger", to: ledger, flag: "--ledger")
        input.set("notifier.http", to: http, flag: "--http")
        return input
    }
}
