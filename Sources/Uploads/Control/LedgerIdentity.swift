public import Foundation

/// What a ledger's file says of itself.
public struct LedgerIdentity: Hashable, Sendable {
    /// Made once, with the ledger; its copies and backups have the same.
    public var id: UUID
    /// The last opening that the control log is known to have; of a ledger that was never at work, one that no log has.
    public var opening: UUID
    /// An opening of which it is not known whether the control log has it: noted before it is appended there.
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
