import ArgumentParser
import UploadBootstrap

struct DelegateRemoveCommand: InquiryCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Removes a registered delegate.",
        discussion: """
            Exit status 1: outcomes wait for it, and --discard was not given. The queue of
            a queue delegate stays on the broker with what is in it.
            """)

    @Argument(help: ArgumentHelp("A delegate.", valueName: "name"))
    var name: String

    @Flag(help: "Also when outcomes wait for it, which it will then never hear of.")
    var discard = false

    @Flag(help: "Do not ask.")
    var yes = false

    @OptionGroup var options: InquiryOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func inquiry() throws -> Inquiry { .registration(.remove(name, discards: discard, isConfirmed: yes)) }
}
