import ArgumentParser
import UploadBootstrap

struct DelegatePauseCommand: InquiryCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Delivers nothing to a delegate; its outcomes are kept.")

    @Argument(help: ArgumentHelp("A delegate.", valueName: "name"), completion: NameCompletion.delegates)
    var name: String

    @OptionGroup var options: InquiryOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func inquiry() throws -> Inquiry { .delegate(.pause, name) }
}
