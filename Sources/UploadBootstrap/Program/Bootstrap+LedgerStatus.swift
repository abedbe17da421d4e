import Foundation
import UploadClient
import UploadNotifier
import Uploads
import UploadsRabbitMQ

extension Bootstrap {
    /// `uploadctl ledger status`: shows the ledger of the configuration, read beside the notifier that works with it.
    /// - Parameter printsJSON: whether it prints a JSON object instead of lines for people.
    public static func showLedger(
        _ input: ConfigurationInput, printsJSON: Bool, checkConfig: Bool
    ) async throws -> ExitCode {
        var input = input
        input.standards["log.level"] = "error"
        let configuration = try UploadConfiguration(input)
        let connection = try configuration.connection(for: "uploadctl")
        let place = try configuration.ledgerPlace()
        if checkConfig {
            Console.output(line: ConfigurationReport(settings: configuration.settings).text)
            return .done
        }
        let interruption = Interruption()
        return try await interruption.cancelling {
            let (identity, overview) = try await look(at: place)
            return try await withBroker(configuration, connection) { broker in
                let (claim, depth) = try await TimeLimit.within(brokerLimit, "did not answer") {
                    () throws(UploadError) in
                    try await (broker.notifierBus().controlView().ledger, broker.notifierDepth())
                }
                let report = LedgerStatusReport(
                    namespace: configuration.namespace, verdict: identity.verdict(on: claim), identity: identity,
                    place: "\(place)", overview, depth)
                if printsJSON {
                    Console.output(line: String(decoding: try WireJSON.encode(report), as: UTF8.self))
                } else {
                    for line in report.lines { Console.output(line: line) }
                }
                return report.isAtWork ? .done : .uploadFailed
            }
        }
    }

    private static func look(at place: LedgerPlace) async throws -> (LedgerIdentity, LedgerOverview) {
        do throws(UploadError) {
            let ledger = try await place.reader()
            let outcome: Result<(LedgerIdentity, LedgerOverview), UploadError>
            do throws(UploadError) {
                outcome = .success((try await ledger.identity(), try await ledger.overview()))
            } catch {
                outcome = .failure(error)
            }
            await ledger.close()
            return try outcome.get()
        } catch {
            throw ProgramError(error)
        }
    }
}
