public import Foundation

/// Which ledger the namespace has, and since when: what an entry `ledger` of the control log says.
///
/// The highest term counts. Within a term the ledger that was named first keeps the namespace, so two notifiers that claim it at the
/// same time agree which of them has it once both have read the log; of that ledger the latest opening counts.
public struct LedgerClaim: Hashable, Sendable {
    /// Made once, with the ledger; its copies and backups have the same.
    public var ledger: UUID
    /// From 1 to ``WireLimits/countMaximum``. Only an operator raises it, who gives the namespace another ledger.
    public var term: Int
    /// Made anew whenever a notifier goes to work with the ledger: a copy that does not know the latest opening is out
    /// of date.
    public var opening: UUID

    public init(ledger: UUID, term: Int, opening: UUID) {
        self.ledger = ledger
        self.term = term
        self.opening = opening
    }

    /// Whether this claim counts when it is read after another one.
    func holds(after earlier: LedgerClaim?) -> Bool {
        guard let earlier else { return true }
        return term > earlier.term || (term == earlier.term && ledger == earlier.ledger)
    }
}

extension LedgerClaim: Codable {
    private enum Key: String, CodingKey { case ledger, term, opening }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        ledger = try container.decode(UUID.self, forKey: .ledger)
        term = try container.decode(1...WireLimits.countMaximum, forKey: .term)
        opening = try container.decode(UUID.self, forKey: .opening)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(ledger, forKey: .ledger)
        try container.encode(term, forKey: .term)
        try container.encode(opening, forKey: .opening)
    }
}
