import ArgumentParser
import UploadBootstrap

struct DelegateShowCommand: InquiryCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows a delegate with its last deliveries.")

    @Argument(help: ArgumentHelp("A delegate.", valueName: "name"))
    var name: String

    @OptionGroup var options: InquiryOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func inquiry() throws -> Inquiry { .registration(.show(name)) }
}
