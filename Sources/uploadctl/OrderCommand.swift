import ArgumentParser
import UploadBootstrap

/// A command that gives orders, by message.
protocol OrderCommand: ControlCommand {
    func requests() throws -> [OrderRequest]
}

extension OrderCommand {
    func perform() async throws -> UploadBootstrap.ExitCode {
        try await Bootstrap.order(
            common.checkConfig ? [] : try requests(), common.input, checkConfig: common.checkConfig)
    }
}
