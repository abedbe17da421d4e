/// How a ledger's file stands to what the control log says.
public enum LedgerVerdict: Hashable, Sendable {
    /// The namespace has no ledger: this one may claim it.
    case unclaimed
    /// The namespace has this ledger, as the file is: a notifier may open it again.
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
