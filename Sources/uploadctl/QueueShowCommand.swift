import ArgumentParser
import UploadBootstrap

struct QueueShowCommand: InquiryCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows a transfer queue: what waits, who takes it, how fast it goes.")

    @Argument(help: ArgumentHelp("A transfer queue.", valueName: "name"), completion: NameCompletion.queues)
    var name: String

    @OptionGroup var options: InquiryOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func inquiry() throws -> Inquiry { .queue(name) }
}
