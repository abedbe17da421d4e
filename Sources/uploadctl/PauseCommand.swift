import ArgumentParser
import UploadBootstrap
import Uploads

struct PauseCommand: OrderCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Pauses jobs until they are resumed.",
        discussion: """
            A running upload stops at its next part boundary and keeps what is there.
            """)

    static let examples = """
        EXAMPLES
          uploadctl pause 019a7d3e-0b6c-7c11-9a53-2f4f5c1b7a90
          uploadctl pause --destination photos
        """

    @OptionGroup var jobs: JobSelection

    @OptionGroup var options: OrderOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func requests() throws -> [OrderRequest] {
        try jobs.commands(.pause).map { try options.request($0) }
    }
}
