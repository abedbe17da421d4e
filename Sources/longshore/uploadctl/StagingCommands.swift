import ArgumentParser
import UploadBootstrap
import Uploads

struct StagingCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "staging",
        abstract: "Looks after the staging area.",
        subcommands: [StagingSweepCommand.self])

    static let examples = """
        EXAMPLES
          uploadctl staging sweep --dry-run
          uploadctl staging sweep -o json
        """
}

struct StagingSweepCommand: OrderCommand {
    static let configuration = CommandConfiguration(
        commandName: "sweep",
        abstract: "Removes staged copies that no job needs any more.",
        discussion: """
            The notifier does this, in the staging area that its configuration names.
            Copies of failed jobs stay for stagingKeepFailed, copies of jobs that it does
            not know for 31 days.
            """)

    @OptionGroup var options: SweepOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func requests() throws -> [OrderRequest] { [try options.staging()] }
}
