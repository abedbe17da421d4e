import ArgumentParser
import UploadBootstrap

struct WatchCommand: InquiryCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Follows events and running uploads, until Ctrl-C.",
        discussion: """
            Each event is a line, as it is recorded. On a terminal, bars below them show
            the uploads that run, the most active first, as many as fit. After a break it
            goes on where it was: nothing is missed while the notifier restarts.
            """)

    static let examples = """
        EXAMPLES
          uploadctl watch --queue video
          uploadctl watch --kind failed --json | jq -r .job
        """

    @OptionGroup var choice: EventChoice

    @OptionGroup var options: InquiryOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func inquiry() throws -> Inquiry { .watch(choice) }
}
