import Foundation
import Uploads

/// What a namespace loses when the operator gives it another ledger, as far as that is known without the old ledger.
struct LedgerAdoption: Hashable, Sendable {
    /// The most jobs that the report names.
    static let namedMaximum = 5

    /// The claim that counts in the control log now.
    let claim: LedgerClaim
    let identity: LedgerIdentity
    let path: String
    /// The number of jobs that the adopted ledger knows.
    let jobCount: Int
    /// The jobs that fences or pauses in the control log name and the adopted ledger does not know.
    let unknown: Set<JobID>

    /// The control log entry that gives the namespace this ledger in its present state; nil when no higher term is left.
    var entry: LedgerClaim? {
        guard claim.term < WireLimits.countMaximum else { return nil }
        return LedgerClaim(ledger: identity.id, term: claim.term + 1, opening: identity.opening)
    }

    /// The report for the operator, line by line.
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
