import ArgumentParser
import UploadBootstrap
import Uploads

struct JobsCommand: InquiryCommand {
    static let configuration = CommandConfiguration(
        commandName: "jobs",
        abstract: "Lists jobs, the newest first.",
        discussion: """
            Asks the notifier, whose ledger knows every job until 30 days after its end.
            """)

    static let examples = """
        EXAMPLES
          uploadctl jobs --status failed --since 2h
          uploadctl jobs --destination photos --text holiday --limit 500
          uploadctl jobs --error accessDenied --ended-since 1d
          uploadctl jobs --status failed --limit 1000000 -o ndjson | jq -r .id
        """

    @OptionGroup var filter: JobFilter

    @OptionGroup var options: InquiryOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func inquiry() throws -> Inquiry { .jobs(filter) }
}

struct JobCommand: InquiryCommand {
    static let configuration = CommandConfiguration(
        commandName: "job",
        abstract: "Shows a job, its history, and why it is not running.",
        discussion: """
            Shows the job, the reason why it is not running, and its events in time order.
            """)

    static let examples = """
        EXAMPLES
          uploadctl job 019a7d3e-0b6c-7c11-9a53-2f4f5c1b7a90
          uploadctl job 019a7d3e-0b6c-7c11-9a53-2f4f5c1b7a90 -o json | jq .explanation
        """

    @Argument(
        help: ArgumentHelp("A job, as enqueue-upload printed it.", valueName: "id"), completion: NameCompletion.jobs)
    var id: String

    @OptionGroup var options: InquiryOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func inquiry() throws -> Inquiry { .job(try JobSelection.jobs([id])[0]) }
}

struct WaitCommand: InquiryCommand {
    static let configuration = CommandConfiguration(
        commandName: "wait",
        abstract: "Waits until jobs have ended.",
        discussion: """
            Prints a line for each job that has ended: its id, its status and why it
            failed; of a batch only for those that did not complete. A notifier that is
            away is waited for. Ctrl-C ends the waiting, and the uploads go on.

            Exit status 0 if all have completed, 1 if one has failed or was cancelled, 66
            if a job is not known, 69 when the --timeout has passed.
            """)

    static let examples = """
        EXAMPLES
          uploadctl wait 019a7d3e-0b6c-7c11-9a53-2f4f5c1b7a90
          uploadctl wait --batch holiday --timeout 2h
          enqueue-upload holiday/ --to photos: | xargs uploadctl wait
        """

    @Argument(
        help: ArgumentHelp("Jobs, as enqueue-upload printed them.", valueName: "id"), completion: NameCompletion.jobs)
    var ids: [String] = []

    @Option(help: ArgumentHelp("All jobs of this batch.", valueName: "name"))
    var batch: String?

    @Option(help: ArgumentHelp("Stop waiting after this long, as in 10m.", valueName: "duration"))
    var timeout: String?

    @OptionGroup var options: InquiryOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func inquiry() throws -> Inquiry { .wait(try WaitChoice(ids: ids, batch: batch, timeout: timeout)) }
}

struct WatchCommand: InquiryCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Follows events and running uploads, until Ctrl-C.",
        discussion: """
            Each recorded event is a line. On a terminal, bars below the events show the
            running uploads, the most active first, as many as fit. When the connection
            breaks, the command goes on from the last event that it received: it misses
            nothing while the notifier restarts.
            """)

    static let examples = """
        EXAMPLES
          uploadctl watch --queue video
          uploadctl watch --kind failed -o ndjson | jq -r .job
        """

    @OptionGroup var choice: EventChoice

    @OptionGroup var options: InquiryOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func inquiry() throws -> Inquiry { .watch(choice) }
}
