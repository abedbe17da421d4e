import ArgumentParser
import UploadBootstrap

struct QueueCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "queue",
        abstract: "Lists, shows, stops and starts transfer queues, and shows their lines.",
        subcommands: [
            QueueListCommand.self, QueueShowCommand.self, QueueLineCommand.self, QueueStopCommand.self,
            QueueStartCommand.self,
        ],
        defaultSubcommand: QueueListCommand.self)

    static let examples = """
        EXAMPLES
          uploadctl queue
          uploadctl queue show video
          uploadctl queue line video
          uploadctl queue stop video
          uploadctl queue start video
        """
}
