import ArgumentParser
import UploadBootstrap

/// A command that does work, unlike one that only groups subcommands.
protocol ControlCommand: ParsableCommand {
    var common: CommonOptions { get }
    func perform() async throws -> UploadBootstrap.ExitCode
}

/// A command that asks the notifier's HTTP API.
protocol InquiryCommand: ControlCommand {
    var options: InquiryOptions { get }
    func inquiry() throws -> Inquiry
}

extension InquiryCommand {
    func perform() async throws -> UploadBootstrap.ExitCode {
        try await Bootstrap.inquire(
            try inquiry(), options.input(common), format: options.output.format, printsHead: !options.noHeader,
            checkConfig: common.checkConfig)
    }
}

/// A command that sends orders to the notifier, as messages.
protocol OrderCommand: ControlCommand {
    func requests() throws -> [OrderRequest]
}

extension OrderCommand {
    func perform() async throws -> UploadBootstrap.ExitCode {
        try await Bootstrap.order(
            common.checkConfig ? [] : try requests(), common.input, checkConfig: common.checkConfig)
    }
}
