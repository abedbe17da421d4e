public import ArgumentParser
import Foundation
import Uploads

/// The options of every sweep.
public struct SweepOptions: ParsableArguments, Sendable {
    /// The usual time to wait for the notifier's answer: 30 s, because the notifier lists the destination or staging area first.
    static let patience: TimeInterval = 30

    @Option(
        help: ArgumentHelp("How long to wait for the broker and for the answer (default: 30s).", valueName: "duration"))
    var timeout: String?

    @OptionGroup var output: OutputOptions

    @Flag(name: .customLong("dry-run"), help: "List what would be removed, and remove nothing.")
    public var isDryRun = false

    public init() {}

    /// - Throws: `usage` for an invalid destination name or an age below the minimum.
    public func destination(_ name: String, olderThan: String?) throws(ProgramError) -> OrderRequest {
        let destination: DestinationName
        do throws(UploadError) {
            destination = try DestinationName(name)
        } catch {
            throw ProgramError(.usage, error.message)
        }
        let seconds = try olderThan.map { text throws(ProgramError) -> TimeInterval in
            guard let seconds = Quantity.seconds(text), seconds >= UploadOrder.sweepAfterMinimum, seconds <= 40 * 86_400
            else {
                throw ProgramError(
                    .usage,
                    "--older-than: '\(text.prefix(80))' is no duration from 1h to 40d, such as 12h; a younger upload may still be needed"
                )
            }
            return seconds
        }
        return try request(.sweepDestination(destination, olderThan: seconds, dryRun: isDryRun))
    }

    public func staging() throws(ProgramError) -> OrderRequest { try request(.sweepStaging(dryRun: isDryRun)) }

    private func request(_ command: UploadOrder.Command) throws(ProgramError) -> OrderRequest {
        var request = OrderRequest(command, patience: Self.patience, format: output.format)
        if let timeout { request.patience = try OrderOptions.seconds(timeout: timeout) }
        return request
    }
}
