import ArgumentParser
import UploadBootstrap

struct TopologyDeleteCommand: TopologyInquiry {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Deletes all exchanges and queues of the namespace.",
        discussion: """
            Refused while a program reads from one of them, and while messages wait unless
            --discard is given. Name every transfer queue that was used: the broker does
            not tell which there are.
            """)

    @Flag(help: "Delete queues though messages wait in them: those uploads are lost.")
    var discard = false

    @Flag(help: "Do not ask.")
    var yes = false

    @OptionGroup var options: TopologyOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    var verb: TopologyRequest.Verb { .delete(discardsMessages: discard, isConfirmed: yes) }
}
