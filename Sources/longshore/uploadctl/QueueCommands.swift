import ArgumentParser
import UploadBootstrap
import Uploads

struct QueueCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "queue",
        abstract: "Lists, shows, stops and starts transfer queues, and shows their serial lines.",
        subcommands: [
            QueueListCommand.self, QueueShowCommand.self, QueueLineCommand.self, QueueStopCommand.self,
            QueueStartCommand.self,
        ],
        defaultSubcommand: QueueListCommand.self)

    static let examples = """
        EXAMPLES
          uploadctl queue
          uploadctl queue show video
          uploadctl queue line video
          uploadctl queue stop video
          uploadctl queue start video
        """
}

struct QueueListCommand: InquiryCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists transfer queues: their jobs, workers, rate and time left.",
        discussion: """
            DEPTH counts the messages in each lane, WAITING the jobs that wait for a retry
            or a time. RATE is what the uploads have moved in the last seconds.
            """)

    @OptionGroup var options: InquiryOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func inquiry() throws -> Inquiry { .queues }
}

struct QueueShowCommand: InquiryCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows a transfer queue: its jobs, workers, rate and time left.")

    @Argument(help: ArgumentHelp("A transfer queue.", valueName: "name"), completion: NameCompletion.queues)
    var name: String

    @OptionGroup var options: InquiryOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func inquiry() throws -> Inquiry { .queue(name) }
}

struct QueueStopCommand: OrderCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop",
        abstract: "Stops transfer queues: workers take no more of their jobs.",
        discussion: "A running upload is handed over at its next part boundary; jobs can still be enqueued.")

    @Argument(help: ArgumentHelp("Transfer queues.", valueName: "name"), completion: NameCompletion.queues)
    var queues: [String]

    @OptionGroup var options: OrderOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func requests() throws -> [OrderRequest] {
        [try options.request(.stopQueues(try OrderOptions.queues(queues)))]
    }
}

struct QueueStartCommand: OrderCommand {
    static let configuration = CommandConfiguration(
        commandName: "start",
        abstract: "Starts transfer queues that were stopped.",
        discussion: "Jobs that were under way go on first.")

    @Argument(help: ArgumentHelp("Transfer queues.", valueName: "name"), completion: NameCompletion.queues)
    var queues: [String]

    @OptionGroup var options: OrderOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func requests() throws -> [OrderRequest] {
        [try options.request(.startQueues(try OrderOptions.queues(queues)))]
    }
}

struct QueueLineCommand: InquiryCommand {
    static let configuration = CommandConfiguration(
        commandName: "line",
        abstract: "Shows a queue's serial line in its order.",
        discussion: """
            PLACE is the number of waiting jobs ahead, as 'move --to' counts them; the job
            that is on its way has none.
            """)

    @Argument(help: ArgumentHelp("A transfer queue.", valueName: "name"))
    var name: String

    @Option(help: ArgumentHelp("The most jobs to list.", valueName: "n"))
    var limit = 100

    @OptionGroup var options: InquiryOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func validate() throws {
        guard (1...Inquiry.rowsMaximum).contains(limit) else {
            throw ValidationError("--limit \(limit): expected a number from 1 to \(Inquiry.rowsMaximum)")
        }
    }

    func inquiry() throws -> Inquiry {
        guard let queue = try OrderOptions.queues([name]).first else { throw ProgramError(.usage, "give a queue") }
        return .line(queue, limit: limit)
    }
}
