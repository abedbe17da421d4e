/// Whether a notifier may work with a ledger's file, by the claim in the control log.
public enum LedgerVerdict: Hashable, Sendable {
    /// The namespace has no ledger: this one may claim it.
    case unclaimed
    /// The namespace has this ledger, and the file is its latest copy: a notifier may open it again.
    case own(LedgerClaim)
    /// The namespace has another ledger.
    case otherLedger(LedgerClaim)
    /// The namespace has this ledger, and another copy of the file has been at work since this one was.
    case otherCopy(LedgerClaim)

    /// The term with which a notifier may go to work; nil: it may not.
    public var term: Int? {
        switch self {
        case .unclaimed: 1
        case .own(let claim): claim.term
        case .otherLedger, .otherCopy: nil
        }
    }
}
