import ArgumentParser
import UploadBootstrap

struct DeliveryReplayCommand: InquiryCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Makes deliveries once more.",
        discussion: """
            An outcome keeps its id, so that the receiver can tell that it had it. All that a
            delegate was not told, or all of a time: 'delegate replay'.
            """)

    @Argument(help: ArgumentHelp("Deliveries, as 'delivery list' numbers them.", valueName: "id"))
    var ids: [Int64]

    @OptionGroup var options: InquiryOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func inquiry() throws -> Inquiry { .replayDeliveries(ids) }
}
