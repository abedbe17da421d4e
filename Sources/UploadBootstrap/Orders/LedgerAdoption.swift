import Foundation
import Uploads

/// What is lost when a namespace is given another ledger, as far as that can be known without the other one.
struct LedgerAdoption: Hashable, Sendable {
    /// Jobs that are named at most.
    static let namedMaximum = 5

    /// What the control log says.
    let claim: LedgerClaim
    let identity: LedgerIdentity
    let path: String
    /// How many jobs the ledger that is adopted knows.
    let jobCount: Int
    /// Jobs that fences or pauses in the control log name, and the ledger does not know.
    let unknown: Set<JobID>

    /// The entry that gives the namespace this ledger, as its file is now; nil when no term is left.
    var entry: LedgerClaim? {
        guard claim.term < WireLimits.countMaximum else { return nil }
        return LedgerClaim(ledger: identity.id, term: claim.term + 1, opening: identity.opening)
    }

    /// For people, a line each.
    func lines(namespace: String) -> [String] {
        let isCopy = claim.ledger == identity.id
        let other = isCopy ? "newer copy" : "other ledger"
        let first =
            isCopy
            ? "namespace '\(namespace)' has a newer copy of the ledger \(claim.ledger.uuidString.lowercased())"
            : "namespace '\(namespace)' has the ledger \(claim.ledger.uuidString.lowercased())"
        let named = unknown.map(\.rawValue).sorted()
        let list = named.prefix(Self.namedMaximum).joined(separator: ", ")
        let rest = named.count > Self.namedMaximum ? ", …" : ""
        return [
            first,
            "to be adopted: \(identity.id.uuidString.lowercased()) in \(path), which knows \(jobCount) jobs",
            named.isEmpty
                ? "the control log names no job that it does not know"
                : "the control log names \(named.count) jobs that it does not know: \(list)\(rest)",
            "not taken over, if only the \(other) has it:",
            "  the jobs that wait in serial lines, of every transfer queue: they are not issued",
            "  the outcomes that delegates were not told yet",
            "  delegates that were registered, orders that were not carried out, jobs that are held, dead letters",
            "  the history of jobs and their events; a job that goes on is recorded from its next event",
            "a notifier that works with the \(other) stops as soon as it reads this",
        ]
    }
}
