import ArgumentParser
import UploadBootstrap

struct StagingCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "staging",
        abstract: "Looks after the staging area.",
        subcommands: [StagingSweepCommand.self])

    static let examples = """
        EXAMPLES
          uploadctl staging sweep --dry-run
          uploadctl staging sweep --json
        """
}
