import ArgumentParser
import UploadBootstrap
import Uploads

struct CancelCommand: OrderCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Cancels jobs: interrupts, removes what is half there, never runs again by itself.",
        discussion: """
            The unfinished upload at the destination and the staged copy are removed. An
            upload that is complete when the order reaches it ends as completed.
            """)

    static let examples = """
        EXAMPLES
          uploadctl cancel 019a7d3e-0b6c-7c11-9a53-2f4f5c1b7a90
          uploadctl cancel --batch holiday --yes
          uploadctl cancel --queue video --status waiting --dry-run
        """

    @OptionGroup var jobs: JobSelection

    @Flag(help: "Cancel also when the filter matches more than one job.")
    var yes = false

    @OptionGroup var options: OrderOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func requests() throws -> [OrderRequest] {
        try jobs.commands(.cancel, atMost: yes ? nil : 1).map { try options.request($0) }
    }
}
