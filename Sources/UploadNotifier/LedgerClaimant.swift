import Foundation
public import Logging
public import Uploads

/// Claims the namespace for a ledger before a notifier goes to work with it, and waits while the namespace has another ledger.
///
/// The opening is noted in the ledger before it is appended to the control log, so a crash in between leaves a ledger that knows the
/// log's entry. The log decides which ledger has the namespace, read up to that entry: of two ledgers that claim it at once, one loses.
public struct LedgerClaimant: Sendable {
    /// How often one of several notifiers looks whether another one has claimed the namespace.
    private static let claimInterval = Duration.seconds(1)

    let bus: any NotifierBus
    let ledger: any LedgerOpenings
    let configuration: NotifierConfiguration
    let clock: NotifierClock
    let logger: Logger

    public init(
        bus: any NotifierBus, ledger: any LedgerOpenings,
        configuration: NotifierConfiguration = NotifierConfiguration(), clock: NotifierClock = .system,
        logger: Logger
    ) {
        self.bus = bus
        self.ledger = ledger
        self.configuration = configuration
        self.clock = clock
        self.logger = logger
    }

    /// Tries until the namespace has this ledger, opened by this process.
    /// - Parameter report: receives the obstacle whenever it changes.
    /// - Returns: the view of the control log; its ledger is this one, until another notifier or an operator appends another.
    /// - Throws: `CancellationError` when the calling task is cancelled first.
    public func claim(_ report: @Sendable (LedgerObstacle) -> Void) async throws -> ControlView {
        var failures = 0
        while true {
            try Task.checkCancellation()
            do throws(UploadError) {
                if let view = try await attempt(report) { return view }
                failures = 0
            } catch {
                try Task.checkCancellation()
                failures = min(failures + 1, 16)
                report(.failed(error))
                logger.error(
                    "cannot claim the namespace for the ledger; it is tried again",
                    metadata: [LogKey.error: "\(error)", LogKey.attempt: "\(failures)"])
                let delay = min(configuration.retryDelayMaximum.seconds, pow(2, Double(failures)) / 4)
                try await clock.sleep(for: .seconds(delay))
            }
        }
    }

    /// - Returns: nil if another ledger has the namespace, or had it until now.
    private func attempt(_ report: (LedgerObstacle) -> Void) async throws(UploadError) -> ControlView? {
        let claim = try await bus.controlView().ledger
        let identity = try await ledger.identity()
        let verdict = identity.verdict(on: claim)
        // Another notifier has opened the ledger, and works with it. A new opening would stop it.
        if case .own(let claim) = verdict, claim.opening == identity.opening, !ledger.isAlone {
            return try await bus.controlView()
        }
        guard let term = verdict.term else {
            let reason = verdict.reason(for: identity, at: ledger.path) ?? ""
            report(.foreign(reason))
            logger.error("this notifier records and publishes nothing", metadata: [LogKey.reason: "\(reason)"])
            _ = try await bus.controlView(withLedgerOtherThan: claim)
            return nil
        }
        guard ledger.mayClaim else {
            report(.divided)
            do { try await clock.sleep(for: Self.claimInterval) } catch {
                throw UploadError(.interrupted, "the namespace was not claimed: cancelled", cause: error)
            }
            return nil
        }
        let own = LedgerClaim(ledger: identity.id, term: term, opening: UUID())
        try await ledger.notePending(own.opening)
        try await bus.append(.ledger(own))
        // The view holds this notifier's own entry now, or an earlier entry that takes precedence.
        let view = try await bus.controlView(withLedgerOtherThan: claim)
        guard view.ledger == own else { return nil }
        try await ledger.noteOpened(own.opening)
        return view
    }
}
