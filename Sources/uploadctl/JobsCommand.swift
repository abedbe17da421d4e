import ArgumentParser
import UploadBootstrap

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
          uploadctl jobs --status failed --json | jq -r .id
        """

    @OptionGroup var filter: JobFilter

    @OptionGroup var options: InquiryOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func inquiry() throws -> Inquiry { .jobs(filter) }
}
