import Foundation
package import Uploads

extension LedgerVerdict {
    /// Why no notifier may work with the ledger, with the remedy for the operator; nil if a notifier may.
    /// - Parameter path: the path of the ledger's file.
    package func reason(for ledger: LedgerIdentity, at path: String) -> String? {
        switch self {
        case .unclaimed, .own: nil
        case .otherLedger(let claim):
            """
            the namespace has the ledger \(claim.ledger.text), and \(path) is another one, \(ledger.id.text): start this notifier with \
            the namespace's ledger ('notifier.ledger'), or give the namespace this one with 'uploadctl ledger adopt', which lists what \
            is lost
            """
        case .otherCopy(let claim):
            """
            another copy of the ledger \(claim.ledger.text) has been at work in the namespace since \(path) was, which lacks what was \
            recorded since: put the newest copy in its place, or give the namespace this one with 'uploadctl ledger adopt', which \
            lists what is lost
            """
        }
    }
}
