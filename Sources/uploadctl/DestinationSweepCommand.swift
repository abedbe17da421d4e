import ArgumentParser
import UploadBootstrap
import Uploads

struct DestinationSweepCommand: OrderCommand {
    static let configuration = CommandConfiguration(
        commandName: "sweep",
        abstract: "Removes unfinished uploads that nobody will go on with.",
        discussion: """
            The notifier does it, for it alone knows which uploads a job still names. What
            is not certainly abandoned stays. It does the same by itself every hour.
            """)

    @Argument(
        help: ArgumentHelp("A destination of the notifier's configuration.", valueName: "name"),
        completion: NameCompletion.destinations)
    var name: String

    @Option(
        help: ArgumentHelp("Only what was begun before (default: notifier.sweepAfter).", valueName: "duration"))
    var olderThan: String?

    @OptionGroup var options: SweepOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func requests() throws -> [OrderRequest] { [try options.destination(name, olderThan: olderThan)] }
}
