import ArgumentParser
import UploadBootstrap

struct FailuresCommand: InquiryCommand {
    static let configuration = CommandConfiguration(
        commandName: "failures",
        abstract: "Shows what the failed jobs have in common, and how to run them again.",
        discussion: """
            The failed jobs by destination and error, the largest 50 groups, the largest
            first, with the error of a job that ended last. A line for each group follows,
            which runs its jobs again once the cause is repaired.
            """)

    static let examples = """
        EXAMPLES
          uploadctl failures
          uploadctl failures --queue video --since 1d
          uploadctl failures -o ndjson | jq -r 'select(.error == "accessDenied").newest'
        """

    @OptionGroup var choice: FailureChoice

    @OptionGroup var options: InquiryOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func inquiry() throws -> Inquiry { .failures(choice) }
}
