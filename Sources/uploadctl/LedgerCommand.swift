import ArgumentParser
import UploadBootstrap

struct LedgerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ledger",
        abstract: "Looks after the notifier's ledger.",
        subcommands: [LedgerBackupCommand.self, LedgerAdoptCommand.self])

    static let examples = """
        EXAMPLES
          uploadctl ledger backup /var/backups/longshore/ledger.sqlite
          uploadctl ledger adopt --ledger /var/lib/longshore/ledger.sqlite
        """
}
