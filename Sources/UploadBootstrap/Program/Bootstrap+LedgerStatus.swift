import Foundation
import UploadClient
import UploadNotifier
import Uploads
import UploadsRabbitMQ

extension Bootstrap {
    /// `uploadctl ledger status`: shows the ledger of the configuration, read beside the notifier that works with it.
    public static func showLedger(
        _ input: ConfigurationInput, format: OutputFormat, checkConfig: Bool
    ) async throws -> ExitCode {
        try await withLedgerReader(input, checkConfig: checkConfig) { ledger, configuration, connection in
            let (identity, overview): (LedgerIdentity, LedgerOverview)
            do throws(UploadError) {
                (identity, overview) = (try await ledger.identity(), try await ledger.overview())
            } catch {
                throw ProgramError(error)
            }
            return try await withBroker(configuration, connection) { broker in
                let (claim, depth) = try await TimeLimit.within(brokerLimit, "did not answer") {
                    () throws(UploadError) in
                    try await (broker.notifierBus().controlView().ledger, broker.notifierDepth())
                }
                let report = LedgerStatusReport(
                    namespace: configuration.namespace, verdict: identity.verdict(on: claim), identity: identity,
                    place: ledger.path, overview, depth)
                if format.isJSON {
                    Console.output(line: String(decoding: try WireJSON.encode(report), as: UTF8.self))
                } else {
                    for line in report.lines { Console.output(line: line) }
                }
                return report.isAtWork ? .done : .uploadFailed
            }
        }
    }
}
