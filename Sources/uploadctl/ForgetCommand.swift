import ArgumentParser
import UploadBootstrap
import Uploads

struct ForgetCommand: OrderCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Takes names, metadata, answers and errors of ended jobs out of the ledger.",
        discussion: """
            File names, keys, metadata, batches, what delegates answered, the words of
            errors, and dead letters that name the jobs are gone for good, from the
            ledger's files too. That a job was there and how it ended stays, so that
            nothing is uploaded again; the job cannot run again. The notifier refuses a
            job that has not ended, of whose end a delegate has not been told yet, or
            that left an unfinished upload ('uploadctl discard' removes it).
            notifier.keep.names does the same by age.
            """)

    static let examples = """
        EXAMPLES
          uploadctl forget 019a7d3e-0b6c-7c11-9a53-2f4f5c1b7a90
          uploadctl forget --before 30d --dry-run
          uploadctl forget --batch holiday --yes
          uploadctl forget --before 2026-11-01T00:00 --status failed --yes
        """

    @OptionGroup var jobs: JobSelection

    @Option(
        help: ArgumentHelp("Jobs that ended before: 30d ago, or a time such as 2026-11-21T08:00.", valueName: "time"))
    var before: String?

    @Flag(help: "Forget also when the filter matches more than one job.")
    var yes = false

    @OptionGroup var options: OrderOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func requests() throws -> [OrderRequest] {
        let time = try PastTime.read(before, of: "--before")
        return try jobs.commands(.forget, atMost: yes ? nil : 1, endedBefore: time).map { try options.request($0) }
    }
}
