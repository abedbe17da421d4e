import ArgumentParser
import UploadBootstrap
import Uploads

struct QueueStartCommand: OrderCommand {
    static let configuration = CommandConfiguration(
        commandName: "start",
        abstract: "Starts transfer queues that were stopped.",
        discussion: "What was under way goes on first.")

    @Argument(help: ArgumentHelp("Transfer queues.", valueName: "name"), completion: NameCompletion.queues)
    var queues: [String]

    @OptionGroup var options: OrderOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func requests() throws -> [OrderRequest] {
        [try options.request(.startQueues(try OrderOptions.queues(queues)))]
    }
}
