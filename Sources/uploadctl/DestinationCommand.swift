import ArgumentParser
import UploadBootstrap

struct DestinationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "destination",
        abstract: "Lists and looks after destinations.",
        subcommands: [
            DestinationListCommand.self, DestinationSweepCommand.self,
        ],
        defaultSubcommand: DestinationListCommand.self)

    static let examples = """
        EXAMPLES
          uploadctl destination list
          uploadctl destination sweep photos --dry-run
          uploadctl destination sweep photos --older-than 12h
        """
}
