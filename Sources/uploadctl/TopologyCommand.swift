import ArgumentParser
import UploadBootstrap

struct TopologyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "topology",
        abstract: "Shows, checks, declares and deletes what lies on the broker.",
        subcommands: [
            TopologyShowCommand.self, TopologyCheckCommand.self, TopologyDeclareCommand.self,
            TopologyDeleteCommand.self,
        ],
        defaultSubcommand: TopologyShowCommand.self)

    static let examples = """
        EXAMPLES
          uploadctl topology
          uploadctl topology check --queue video
          uploadctl topology declare --queue video
          uploadctl topology delete --namespace trial --queue video --yes
        """
}

/// A command that looks at what lies on the broker.
protocol TopologyInquiry: ControlCommand {
    var options: TopologyOptions { get }
    var verb: TopologyRequest.Verb { get }
}

extension TopologyInquiry {
    func perform() async throws -> UploadBootstrap.ExitCode {
        try await Bootstrap.topology(try options.request(verb), common.input, checkConfig: common.checkConfig)
    }
}
