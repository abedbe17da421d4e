import ArgumentParser
import UploadBootstrap

/// A command that asks the notifier's HTTP API.
protocol InquiryCommand: ControlCommand {
    var options: InquiryOptions { get }
    func inquiry() throws -> Inquiry
}

extension InquiryCommand {
    func perform() async throws -> UploadBootstrap.ExitCode {
        try await Bootstrap.inquire(
            try inquiry(), options.input(common), printsJSON: options.json, checkConfig: common.checkConfig)
    }
}
