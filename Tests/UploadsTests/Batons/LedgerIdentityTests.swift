import Foundation
import Testing

@testable import Uploads

@Suite struct LedgerIdentityTests {
    private let ledger = LedgerIdentity(id: UUID(), opening: UUID(), pending: UUID())

    private func claim(_ ledger: UUID, _ opening: UUID) -> LedgerClaim {
        LedgerClaim(ledger: ledger, term: 3, opening: opening)
    }

    @Test func `a namespace without a ledger may be claimed, in the first term`() {
        #expect(ledger.verdict(on: nil) == .unclaimed)
        #expect(ledger.verdict(on: nil).term == 1)
    }

    @Test func `a ledger is opened again in its term by who knows the last opening, or noted it before a crash`() throws
    {
        for opening in [ledger.opening, try #require(ledger.pending)] {
            let claim = claim(ledger.id, opening)
            #expect(ledger.verdict(on: claim) == .own(claim))
            #expect(ledger.verdict(on: claim).term == 3)
        }
    }

    @Test func `another ledger is refused, and so is a copy that does not know the last opening`() {
        let other = claim(UUID(), ledger.opening)
        #expect(ledger.verdict(on: other) == .otherLedger(other))
        #expect(ledger.verdict(on: other).term == nil)
        let newer = claim(ledger.id, UUID())
        #expect(ledger.verdict(on: newer) == .otherCopy(newer))
        #expect(ledger.verdict(on: newer).term == nil)
        let settled = LedgerIdentity(id: ledger.id, opening: ledger.opening)
        #expect(settled.verdict(on: newer) == .otherCopy(newer))
    }
}
