import ArgumentParser
import UploadBootstrap

struct TopologyDeclareCommand: TopologyInquiry {
    static let configuration = CommandConfiguration(
        commandName: "declare",
        abstract: "Declares all exchanges, queues and bindings of the namespace.",
        discussion: """
            For an administrator, where the programs' own users may not declare. What is
            there already stays as it is. Name every transfer queue and delegate's queue.
            """)

    @Flag(
        name: .customLong("print"),
        help: "Only print them, as definitions that 'rabbitmqctl import_definitions' takes.")
    var isPrinted = false

    @OptionGroup var options: TopologyOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    var verb: TopologyRequest.Verb { .declare(isPrinted: isPrinted) }
}
