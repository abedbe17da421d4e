import ArgumentParser
import UploadBootstrap

struct DelegateResumeCommand: InquiryCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Serves a delegate again; what waits is due at once.")

    @Argument(help: ArgumentHelp("A delegate.", valueName: "name"), completion: NameCompletion.delegates)
    var name: String

    @OptionGroup var options: InquiryOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func inquiry() throws -> Inquiry { .delegate(.resume, name) }
}
