import ArgumentParser
import UploadBootstrap

struct DeadListCommand: InquiryCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists messages that could not be read or recorded, the newest first.")

    @OptionGroup var filter: DeadLetterOptions

    @Option(help: ArgumentHelp("waiting, or replayed: published again.", valueName: "status"))
    var status: DeadLetterStatus?

    @Option(help: ArgumentHelp("At most so many.", valueName: "n"))
    var limit = 50

    @OptionGroup var options: InquiryOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func validate() throws {
        guard (1...100_000).contains(limit) else {
            throw ValidationError("--limit \(limit): expected a number from 1 to 100000")
        }
    }

    func inquiry() throws -> Inquiry { .deadLetters(try filter.filter(), status, limit: limit) }
}
