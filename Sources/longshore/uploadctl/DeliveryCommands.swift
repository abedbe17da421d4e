import ArgumentParser
import UploadBootstrap

struct DeliveryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delivery",
        abstract: "Shows deliveries to delegates, and makes them again.",
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

struct DeliveryListCommand: InquiryCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists deliveries, the newest first.",
        discussion: """
            FAILED is the number of failed attempts, NEXT the time of the next attempt.
            """)

    @OptionGroup var choice: DeliveryChoice

    @OptionGroup var options: InquiryOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func inquiry() throws -> Inquiry { .deliveries(choice) }
}

struct DeliveryShowCommand: InquiryCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows a delivery with its attempts and the delegate's answers.")

    @Argument(help: ArgumentHelp("A delivery, as 'delivery list' numbers it.", valueName: "id"))
    var id: Int64

    @OptionGroup var options: InquiryOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func inquiry() throws -> Inquiry { .delivery(id) }
}

struct DeliveryReplayCommand: InquiryCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Makes deliveries again.",
        discussion: """
            An outcome keeps its id, so that the receiver can recognize a repeat. 'delegate
            replay' makes all deliveries again that failed, or all of a time range.
            """)

    @Argument(help: ArgumentHelp("Deliveries, as 'delivery list' numbers them.", valueName: "id"))
    var ids: [Int64]

    @OptionGroup var options: InquiryOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func inquiry() throws -> Inquiry { .replayDeliveries(ids) }
}
