import ArgumentParser
import UploadBootstrap

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
