public import ArgumentParser

/// The options of all that asks the notifier's HTTP API.
public struct InquiryOptions: ParsableArguments, Sendable {
    @Flag(help: "Print one JSON object a line.")
    public var json = false

    @Option(help: ArgumentHelp("The notifier's HTTP API (default: where notifier.http says).", valueName: "url"))
    var api: String?

    @Option(
        help: ArgumentHelp("File that holds the API's token (default: notifier.token).", valueName: "file"),
        completion: .file())
    var tokenFile: String?

    public init() {}

    /// The common options' input with what these say.
    public func input(_ common: CommonOptions) -> ConfigurationInput {
        var input = common.input
        input.set("api", to: api, flag: "--api")
        input.set("notifier.token", to: tokenFile.map { "file:\($0)" }, flag: "--token-file")
        return input
    }
}
