import Foundation
import Glibc
public import Uploads

/// Runs a program for each outcome, with the outcome as a CloudEvent in structured JSON mode on its standard input. Exit code 0 means delivered;
/// after any other end the notifier tries again.
public final class CommandDelegate: CompletionDelegate {
    public let name: String
    private let command: CommandConfiguration
    private let mapping: FieldMapping?

    /// - Throws: `misconfigured` when there is no such program, or its path is relative.
    public init(
        name: String, _ configuration: CommandConfiguration, mapping: FieldMapping? = nil
    ) throws(UploadError) {
        let path = configuration.path
        guard path.hasPrefix("/") else {
            throw UploadError(
                .misconfigured, "delegate '\(name)': '\(path)' is no absolute path; write the program's whole path")
        }
        guard access(path, X_OK) == 0 else {
            let why = String(cString: strerror(errno))
            throw UploadError(
                .misconfigured, "delegate '\(name)': \(path) cannot be run (\(why)); check the path and its rights")
        }
        self.name = name
        self.mapping = mapping
        var command = configuration
        command.environment["PATH"] = command.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
        self.command = command
    }

    @discardableResult
    public func deliver(_ event: UploadEvent) async throws(UploadError) -> ServerResponse? {
        let input = try EventPayload(event, mapping: mapping).structured() + [UInt8(ascii: "\n")]
        let end: CommandRun.End
        do { end = try await CommandRun(command, input: input).end() } catch {
            let why = String(cString: strerror(error.errno))
            throw UploadError(
                .misconfigured, "command '\(name)' cannot be run (\(why)); check \(command.path) and its rights",
                retry: .afterBackoff, cause: error)
        }
        let response = ServerResponse(status: Int(end.code), body: end.output)
        switch end.reason {
        case .exit where end.code == 0: return response
        case .exit:
            throw UploadError(
                .rejected, "command '\(name)' ended with exit code \(end.code); it must be 0", retry: .afterBackoff,
                response: response)
        case .timeout:
            throw UploadError(
                .serverFailure, "command '\(name)' was killed after \(Int(command.timeout)) s", retry: .afterBackoff,
                response: response)
        case .cancellation:
            throw UploadError(.interrupted, "the notifier stopped during a delivery to command '\(name)'")
        }
    }
}
