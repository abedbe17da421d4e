public import ArgumentParser

/// The options that all programs have.
public struct CommonOptions: ParsableArguments, Sendable {
    @Option(help: ArgumentHelp("Configuration file (YAML).", valueName: "file"))
    var config: String?

    @Option(help: ArgumentHelp("RabbitMQ, amqp:// or amqps://; repeat for the hosts of a cluster.", valueName: "url"))
    var broker: [String] = []

    @Option(help: ArgumentHelp("Prefix of all names on the broker.", valueName: "name"))
    var namespace: String?

    @Option(
        help: ArgumentHelp(
            "Staging area: a directory that producers and workers share, a place at a destination (stage:copies/), or none.",
            valueName: "place"))
    var staging: String?

    @Option(help: ArgumentHelp("trace, debug, info, notice, warning, error.", valueName: "level"))
    var logLevel: String?

    @Option(help: ArgumentHelp("text or json.", valueName: "format"))
    var logFormat: String?

    @Flag(help: "Print each setting and where it came from, and stop.")
    public var checkConfig = false

    public init() {}

    /// The options as input of a configuration.
    public var input: ConfigurationInput {
        var input = ConfigurationInput(file: config)
        input.set("broker", to: broker, flag: "--broker")
        input.set("namespace", to: namespace, flag: "--namespace")
        input.set("staging", to: staging, flag: "--staging")
        input.set("log.level", to: logLevel, flag: "--log-level")
        input.set("log.format", to: logFormat, flag: "--log-format")
        return input
    }
}
