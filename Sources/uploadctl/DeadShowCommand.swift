import ArgumentParser
import UploadBootstrap

struct DeadShowCommand: InquiryCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows a dead letter with the beginning of its body.")

    @Argument(help: ArgumentHelp("A dead letter, as 'dead list' numbers it.", valueName: "id"))
    var id: Int64

    @OptionGroup var options: InquiryOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func inquiry() throws -> Inquiry { .deadLetter(id) }
}
