import ArgumentParser
import UploadBootstrap
import Uploads

struct JobCommand: InquiryCommand {
    static let configuration = CommandConfiguration(
        commandName: "job",
        abstract: "Tells what became of a job, and why it is not running.",
        discussion: """
            What it is, what stands in its way, and all that happened to it in time order.
            """)

    static let examples = """
        EXAMPLES
          uploadctl job 019a7d3e-0b6c-7c11-9a53-2f4f5c1b7a90
          uploadctl job 019a7d3e-0b6c-7c11-9a53-2f4f5c1b7a90 --json | jq .explanation
        """

    @Argument(
        help: ArgumentHelp("A job, as enqueue-upload printed it.", valueName: "id"), completion: NameCompletion.jobs)
    var id: String

    @OptionGroup var options: InquiryOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func inquiry() throws -> Inquiry { .job(try JobSelection.jobs([id])[0]) }
}
