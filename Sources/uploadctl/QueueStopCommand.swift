import ArgumentParser
import UploadBootstrap
import Uploads

struct QueueStopCommand: OrderCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop",
        abstract: "Stops transfer queues: nobody takes from them any more.",
        discussion: "What runs hands over at its next part boundary; jobs can still be enqueued.")

    @Argument(help: ArgumentHelp("Transfer queues.", valueName: "name"), completion: NameCompletion.queues)
    var queues: [String]

    @OptionGroup var options: OrderOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func requests() throws -> [OrderRequest] {
        [try options.request(.stopQueues(try OrderOptions.queues(queues)))]
    }
}
