import ArgumentParser
import UploadBootstrap

struct TopologyShowCommand: TopologyInquiry {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Lists exchanges and queues, with what waits in them and who reads.")

    @OptionGroup var options: TopologyOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    var verb: TopologyRequest.Verb { .show }
}
