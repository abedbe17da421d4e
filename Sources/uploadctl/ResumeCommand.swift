import ArgumentParser
import UploadBootstrap
import Uploads

struct ResumeCommand: OrderCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Lets paused jobs go on where they stopped.",
        discussion: """
            With a filter: those that are paused.
            """)

    static let examples = """
        EXAMPLES
          uploadctl resume 019a7d3e-0b6c-7c11-9a53-2f4f5c1b7a90
          uploadctl resume --destination photos
        """

    @OptionGroup var jobs: JobSelection

    @OptionGroup var options: OrderOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func requests() throws -> [OrderRequest] {
        try jobs.commands(.resume).map { try options.request($0) }
    }
}
