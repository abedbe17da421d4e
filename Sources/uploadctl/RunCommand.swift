import ArgumentParser
import UploadBootstrap
import Uploads

struct RunCommand: OrderCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Runs jobs now, ahead of others; with --again, ended ones anew.",
        discussion: """
            A job that waits or is paused goes on at once. Where a worker is full, its
            youngest upload that is not urgent makes room and goes on afterwards.
            With --again and no --status, a filter means failed and cancelled jobs.
            """)

    static let examples = """
        EXAMPLES
          uploadctl run 019a7d3e-0b6c-7c11-9a53-2f4f5c1b7a90
          uploadctl run --status waiting --destination photos
          uploadctl run --again --status failed --batch holiday
        """

    @OptionGroup var jobs: JobSelection

    @Flag(help: "Run ended jobs again, as a new round.")
    var again = false

    @OptionGroup var options: OrderOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func requests() throws -> [OrderRequest] {
        try jobs.commands(again ? .runAgain : .runNow).map { try options.request($0) }
    }
}
