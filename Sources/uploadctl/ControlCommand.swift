import ArgumentParser
import UploadBootstrap

/// A command that does something.
protocol ControlCommand: ParsableCommand {
    var common: CommonOptions { get }
    func perform() async throws -> UploadBootstrap.ExitCode
}
