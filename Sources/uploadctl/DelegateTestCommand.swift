import ArgumentParser
import UploadBootstrap

struct DelegateTestCommand: InquiryCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Delivers an invented outcome, and says what came of it.",
        discussion: """
            Exit status 1: the delegate did not take it.
            """)

    @Argument(help: ArgumentHelp("A delegate.", valueName: "name"), completion: NameCompletion.delegates)
    var name: String

    @OptionGroup var options: InquiryOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func inquiry() throws -> Inquiry { .delegate(.test, name) }
}
