import ArgumentParser
import UploadBootstrap

struct DeadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dead",
        abstract: "Messages that could not be read or recorded: looks at them, publishes them again.",
        subcommands: [
            DeadListCommand.self, DeadShowCommand.self, DeadReplayCommand.self, DeadDiscardCommand.self,
        ],
        defaultSubcommand: DeadListCommand.self)

    static let examples = """
        EXAMPLES
          uploadctl dead list
          uploadctl dead show 17
          uploadctl dead replay 17
          uploadctl dead replay --all --type upload.job.v1 --yes
          uploadctl dead discard 17 18 --yes
        """
}
