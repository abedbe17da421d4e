public import ArgumentParser
import Foundation
public import Uploads

/// The options of every order.
public struct OrderOptions: ParsableArguments, Sendable {
    @Flag(help: "Do not wait for the notifier's answer.")
    var noWait = false

    @Option(
        help: ArgumentHelp("How long to wait for the broker and for the answer (default: 5s).", valueName: "duration"))
    var timeout: String?

    @OptionGroup var output: OutputOptions

    @Flag(help: "Say what would be ordered, and how many jobs a filter selects, and stop.")
    var dryRun = false

    public init() {}

    /// - Throws: `usage` for an invalid queue name, or too many of them.
    public static func queues(_ names: [String]) throws(ProgramError) -> [QueueName] {
        guard names.count <= UploadOrder.queuesMaximum else {
            throw ProgramError(.usage, "\(names.count) queues: give at most \(UploadOrder.queuesMaximum) at once")
        }
        do throws(UploadError) {
            return try names.map { name throws(UploadError) in try QueueName(name) }
        } catch {
            throw ProgramError(.usage, error.message)
        }
    }

    /// - Throws: `usage` for an empty or too long name, or too many of them.
    public static func workers(_ names: [String]) throws(ProgramError) -> [String] {
        guard names.count <= UploadOrder.workersMaximum else {
            throw ProgramError(.usage, "\(names.count) workers: give at most \(UploadOrder.workersMaximum) at once")
        }
        for name in names where name.isEmpty || name.utf8.count > WorkerReport.textBytesMaximum {
            throw ProgramError(
                .usage,
                "'\(name.prefix(80))' names no worker: a name has 1 to \(WorkerReport.textBytesMaximum) bytes")
        }
        return names
    }

    static func seconds(timeout: String) throws(ProgramError) -> TimeInterval {
        guard let seconds = Quantity.seconds(timeout), seconds > 0, seconds <= 3600 else {
            throw ProgramError(
                .usage, "--timeout: '\(timeout.prefix(80))' is no duration from 1ms to 1h, such as 30s")
        }
        return seconds
    }

    /// - Throws: `usage` for an invalid `--timeout`.
    public func request(_ command: UploadOrder.Command) throws(ProgramError) -> OrderRequest {
        var patience = OrderRequest.patience
        if let timeout {
            patience = try Self.seconds(timeout: timeout)
        }
        return OrderRequest(command, patience: noWait ? nil : patience, format: output.format, isDryRun: dryRun)
    }
}
