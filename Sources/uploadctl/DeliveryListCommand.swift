import ArgumentParser
import UploadBootstrap

struct DeliveryListCommand: InquiryCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists deliveries, the newest first.",
        discussion: """
            FAILED is how many attempts failed, NEXT when the next one is due.
            """)

    @OptionGroup var choice: DeliveryChoice

    @OptionGroup var options: InquiryOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func inquiry() throws -> Inquiry { .deliveries(choice) }
}
