import ArgumentParser
import UploadBootstrap
import Uploads

struct WorkersCommand: InquiryCommand {
    static let configuration = CommandConfiguration(
        commandName: "workers",
        abstract: "Lists the live workers: state, slots, rate, queues.",
        discussion: """
            SLOTS are the jobs under way, of the most that the worker carries at once.
            RATE is the average since its last report. SINCE says how long it has been
            running, SEEN how long ago it reported: every 10 s, and a worker that has been
            silent for 30 s is left out. A worker that is draining hands its jobs over;
            one that is drained has none left and takes none until it is resumed
            ('uploadctl worker').
            """)

    static let examples = """
        EXAMPLES
          uploadctl workers
          uploadctl workers -o wide
          uploadctl workers -o ndjson | jq -r 'select(.state == "drained").name'
        """

    @OptionGroup var options: InquiryOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func inquiry() throws -> Inquiry { .workers }
}

struct WorkerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "worker",
        abstract: "Drains and resumes single workers, for maintenance of their hosts.",
        subcommands: [WorkerDrainCommand.self, WorkerResumeCommand.self])

    static let examples = """
        EXAMPLES
          uploadctl worker drain web-1
          uploadctl worker drain web-1/4711-a93f
          uploadctl workers -o ndjson | jq -r 'select(.host == "web-1").state'
          uploadctl worker resume web-1
        """
}

struct WorkerDrainCommand: OrderCommand {
    static let configuration = CommandConfiguration(
        commandName: "drain",
        abstract: "Drains workers: they take no more jobs of any queue, and stay up.",
        discussion: """
            A running upload is handed over at its next part boundary, and other workers go
            on with it; without another one its jobs wait, cancellations too. 'uploadctl
            workers' shows when a worker is drained: then its host may be switched off. A
            worker that is started again is not drained.
            A name may be abbreviated to its beginning, or to the name of the host, if only
            one worker matches.
            """)

    @Argument(help: ArgumentHelp("Workers.", valueName: "name"), completion: NameCompletion.workers)
    var workers: [String]

    @OptionGroup var options: OrderOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func requests() throws -> [OrderRequest] {
        [try options.request(.drainWorkers(try OrderOptions.workers(workers)))]
    }
}

struct WorkerResumeCommand: OrderCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Lets workers that were drained take jobs again.",
        discussion: """
            A name may be abbreviated to its beginning, or to the name of the host, if only
            one worker matches.
            """)

    @Argument(help: ArgumentHelp("Workers.", valueName: "name"), completion: NameCompletion.workers)
    var workers: [String]

    @OptionGroup var options: OrderOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func requests() throws -> [OrderRequest] {
        [try options.request(.resumeWorkers(try OrderOptions.workers(workers)))]
    }
}
