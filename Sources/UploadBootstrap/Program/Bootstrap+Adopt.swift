import Foundation
import RabbitMQ
import UploadClient
import UploadNotifier
import Uploads
import UploadsRabbitMQ

extension Bootstrap {
    /// `uploadctl ledger adopt`: gives the namespace the ledger of the configuration, after it has printed what the namespace loses.
    /// - Parameter isConfirmed: whether the operator has confirmed with `--yes`, so that the command does not ask.
    public static func adoptLedger(
        _ input: ConfigurationInput, isConfirmed: Bool, checkConfig: Bool
    ) async throws -> ExitCode {
        try await withLedgerReader(input, checkConfig: checkConfig) { ledger, configuration, connection in
            try await withBroker(configuration, connection) { broker in
                try await adopt(ledger, configuration.namespace, broker, isConfirmed: isConfirmed)
            }
        }
    }

    /// Opens the ledger of the configuration for a command that only reads it.
    /// - Parameter checkConfig: whether to print the configuration instead.
    static func withLedgerReader(
        _ input: ConfigurationInput, checkConfig: Bool,
        _ body:
            @escaping @Sendable (any LedgerReading, UploadConfiguration, ConnectionConfiguration) async throws
            -> ExitCode
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
            let ledger: any LedgerReading
            do throws(UploadError) { ledger = try await place.reader() } catch { throw ProgramError(error) }
            do {
                let code = try await body(ledger, configuration, connection)
                await ledger.close()
                return code
            } catch {
                await ledger.close()
                throw error
            }
        }
    }

    private static func adopt(
        _ ledger: any LedgerReading, _ namespace: String, _ broker: UploadBroker, isConfirmed: Bool
    ) async throws -> ExitCode {
        let (bus, view) = try await TimeLimit.within(brokerLimit, "did not say which ledger the namespace has") {
            () throws(UploadError) in
            let bus = try await broker.notifierBus()
            return (bus, try await bus.controlView())
        }
        let identity = try await ledger.identity()
        let claim: LedgerClaim
        switch identity.verdict(on: view.ledger) {
        case .unclaimed:
            say("namespace '\(namespace)' has no ledger yet: the first notifier that starts claims it with its own")
            return .done
        case .own:
            say(
                "namespace '\(namespace)' has this ledger already: \(identity.id.uuidString.lowercased()) in \(ledger.path)"
            )
            return .done
        case .otherLedger(let other), .otherCopy(let other): claim = other
        }
        var unknown: Set<JobID> = []
        for page in view.pages { unknown.formUnion(try await ledger.unknown(among: Set(page.keys))) }
        let adoption = LedgerAdoption(
            claim: claim, identity: identity, path: ledger.path, jobCount: try await ledger.jobCount(), unknown: unknown
        )
        guard let entry = adoption.entry else {
            throw ProgramError(
                .refused, "the control log has no term left for another ledger; delete it, and start anew")
        }
        for line in adoption.lines(namespace: namespace) { Console.output(line: line) }
        guard isConfirmed || Console.canAsk && Console.confirms("give namespace '\(namespace)' this ledger?") else {
            throw ProgramError(.refused, "nothing was changed; --yes adopts the ledger without asking")
        }
        let after = try await TimeLimit.within(brokerLimit, "did not confirm it") { () throws(UploadError) in
            try await bus.append(.ledger(entry))
            return try await bus.controlView()
        }
        guard after.ledger?.term == entry.term, after.ledger?.ledger == entry.ledger else {
            throw ProgramError(
                .refused, "another ledger was adopted at the same time; run the command again to see which")
        }
        say("namespace '\(namespace)' has this ledger now; the notifier with this ledger goes to work by itself")
        return .done
    }

    private static func say(_ line: String) { Console.error(line: "uploadctl: \(line)") }
}
