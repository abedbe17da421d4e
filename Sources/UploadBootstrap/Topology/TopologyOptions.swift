public import ArgumentParser

/// The options of every `uploadctl topology` command.
public struct TopologyOptions: ParsableArguments, Sendable {
    @Option(help: ArgumentHelp("A transfer queue besides those of worker.queues; repeat.", valueName: "queue"))
    var queue: [String] = []

    @Option(
        help: ArgumentHelp("A queue delegate besides those of the configuration; repeat.", valueName: "name"))
    var delegate: [String] = []

    @OptionGroup var output: OutputOptions

    @Flag(help: "Print lists without their head line.")
    var noHeader = false

    public init() {}

    /// - Throws: `usage` for an invalid queue name.
    public func request(_ verb: TopologyRequest.Verb) throws(ProgramError) -> TopologyRequest {
        TopologyRequest(
            verb: verb, queues: try OrderOptions.queues(queue), delegates: delegate, format: output.format,
            printsHead: !noHeader)
    }
}
