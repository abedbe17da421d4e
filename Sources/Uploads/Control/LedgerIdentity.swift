public import Foundation

/// The identity that a ledger's file states.
public struct LedgerIdentity: Hashable, Sendable {
    /// Made once, with the ledger; its copies and backups have the same.
    public var id: UUID
    /// The last opening that the control log is known to have. A ledger that was never at work has one that no log has.
    public var opening: UUID
    /// An opening that was noted before it was appended to the control log, so that the log may have it or not.
    public var pending: UUID?

    public init(id: UUID, opening: UUID, pending: UUID? = nil) {
        self.id = id
        self.opening = opening
        self.pending = pending
    }

    /// Whether a notifier may go to work with this file.
    /// - Parameter claim: what the control log says; nil: it names no ledger.
    public func verdict(on claim: LedgerClaim?) -> LedgerVerdict {
        guard let claim else { return .unclaimed }
        guard claim.ledger == id else { return .otherLedger(claim) }
        return claim.opening == opening || claim.opening == pending ? .own(claim) : .otherCopy(claim)
    }
}
