import ArgumentParser
import UploadBootstrap

struct DeliveryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delivery",
        abstract: "Looks at what was told to delegates, and tells it once more.",
        subcommands: [
            DeliveryListCommand.self, DeliveryShowCommand.self, DeliveryReplayCommand.self,
        ],
        defaultSubcommand: DeliveryListCommand.self)

    static let examples = """
        EXAMPLES
          uploadctl delivery --delegate billing --status failed
          uploadctl delivery show 17
          uploadctl delivery replay 17 18
        """
}
