import ArgumentParser
import UploadBootstrap

struct TopologyCheckCommand: TopologyInquiry {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Names what is missing, or was declared with other arguments.",
        discussion: """
            Changes nothing; exit status 1 if something is not as it should be. Bindings
            cannot be looked at by AMQP: whichever program starts next declares them.
            """)

    @OptionGroup var options: TopologyOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    var verb: TopologyRequest.Verb { .check }
}
