import ArgumentParser
import UploadBootstrap

struct DeliveryShowCommand: InquiryCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows a delivery with its attempts and what was answered.")

    @Argument(help: ArgumentHelp("A delivery, as 'delivery list' numbers it.", valueName: "id"))
    var id: Int64

    @OptionGroup var options: InquiryOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func inquiry() throws -> Inquiry { .delivery(id) }
}
