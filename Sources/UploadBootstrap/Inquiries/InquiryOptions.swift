public import ArgumentParser

/// The options of all commands that ask the notifier's HTTP API.
public struct InquiryOptions: ParsableArguments, Sendable {
    @OptionGroup public var output: OutputOptions

    @Flag(help: "Print lists without their head line.")
    public var noHeader = false

    @Option(help: ArgumentHelp("The address of the notifier's HTTP API (default: by notifier.http).", valueName: "url"))
    var api: String?

    @Option(
        help: ArgumentHelp("File that holds the API's token (default: notifier.token).", valueName: "file"),
        completion: .file())
    var tokenFile: String?

    public init() {}

    /// The common options' input with these options added.
    public func input(_ common: CommonOptions) -> ConfigurationInput {
        var input = common.input
        input.set("api", to: api, flag: "--api")
        input.set("notifier.token", to: tokenFile.map { "file:\($0)" }, flag: "--token-file")
        return input
    }
}
