public import ArgumentParser

/// The option of all commands of `uploadctl` that write results.
public struct OutputOptions: ParsableArguments, Sendable {
    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("A wider table, one JSON value, or a JSON object a line.", valueName: "format"))
    public var format = OutputFormat.table

    public init() {}
}
