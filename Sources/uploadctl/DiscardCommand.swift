import ArgumentParser
import UploadBootstrap
import Uploads

struct DiscardCommand: OrderCommand {
    static let configuration = CommandConfiguration(
        commandName: "discard",
        abstract: "Gives up failed jobs: what they left is removed now, not in days.",
        discussion: """
            The unfinished upload at the destination and the staged copy are kept for days,
            so that a failed job can run again from where it stopped. A worker removes both
            now, and the job ends once more, as cancelled; as completed if its object turns
            out to be whole. Running it again then needs the source anew.
            """)

    static let examples = """
        EXAMPLES
          uploadctl discard 019a7d3e-0b6c-7c11-9a53-2f4f5c1b7a90
          uploadctl discard --destination photos --dry-run
          uploadctl discard --batch holiday --yes
        """

    @OptionGroup var jobs: JobSelection

    @Flag(help: "Discard also when the filter matches more than one job.")
    var yes = false

    @OptionGroup var options: OrderOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func requests() throws -> [OrderRequest] {
        try jobs.commands(.discard, atMost: yes ? nil : 1).map { try options.request($0) }
    }
}
