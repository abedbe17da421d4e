import ArgumentParser
import UploadBootstrap
import Uploads

struct QueueLineCommand: InquiryCommand {
    static let configuration = CommandConfiguration(
        commandName: "line",
        abstract: "Shows a queue's serial line in its order.",
        discussion: """
            PLACE is how many that wait are ahead, as 'move --to' counts them; what is on
            its way has none.
            """)

    @Argument(help: ArgumentHelp("A transfer queue.", valueName: "name"))
    var name: String

    @Option(help: ArgumentHelp("At most so many.", valueName: "n"))
    var limit = 100

    @OptionGroup var options: InquiryOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func validate() throws {
        guard (1...100_000).contains(limit) else {
            throw ValidationError("--limit \(limit): expected a number from 1 to 100000")
        }
    }

    func inquiry() throws -> Inquiry {
        guard let queue = try OrderOptions.queues([name]).first else { throw ProgramError(.usage, "give a queue") }
        return .line(queue, limit: limit)
    }
}
