import ArgumentParser
import UploadBootstrap
import Uploads

struct DelegateChangeCommand: InquiryCommand {
    static let configuration = CommandConfiguration(
        commandName: "change",
        abstract: "Changes a registered delegate from its next delivery on.",
        discussion: """
            What is not given stays. --metadata and --field are added to those that are
            there. A delegate that its failures had paused is served again.
            """)

    @Argument(help: ArgumentHelp("A delegate.", valueName: "name"))
    var name: String

    @OptionGroup var fields: DelegateFields

    @Option(
        help: ArgumentHelp(
            "As it is by default again: types, queues, destinations, batches, metadata, fields, ordered, concurrency, "
                + "timeout or mode; repeatable.", valueName: "what"))
    var reset: [String] = []

    @OptionGroup var options: InquiryOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func inquiry() throws -> Inquiry { .registration(.change(name, try fields.patch(resetting: reset))) }
}
