import ArgumentParser
import UploadBootstrap

struct DestinationListCommand: InquiryCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists destinations with their limits and what waits for them.")

    @OptionGroup var options: InquiryOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func inquiry() throws -> Inquiry { .destinations }
}
