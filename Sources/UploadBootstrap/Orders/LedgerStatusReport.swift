import Foundation
import Uploads

/// What `uploadctl ledger status` says. Pure.
struct LedgerStatusReport: Encodable, Hashable, Sendable {
    /// Whose ledger the namespace has, by its control log.
    enum Claim: String, Encodable, Hashable, Sendable {
        case this, other, newerCopy, none
    }

    let namespace: String
    let claim: Claim
    let ledger: String
    /// Its file, or its database without the password.
    let place: String
    let database: String
    let schema: Int
    let bytes: Int64
    let jobs: Int
    /// The host and the process of each notifier that works with the ledger, with its shards.
    let holders: [String: [Int]]
    /// Nil if the broker has no queue for the notifier yet.
    let waitingEvents: Int?
    let consumers: Int?

    init(
        namespace: String, verdict: LedgerVerdict, identity: LedgerIdentity, place: String, _ overview: LedgerOverview,
        _ depth: LaneDepth?
    ) {
        self.namespace = namespace
        claim =
            switch verdict {
            case .own: .this
            case .otherLedger: .other
            case .otherCopy: .newerCopy
            case .unclaimed: .none
            }
        ledger = identity.id.uuidString.lowercased()
        self.place = place
        database = overview.database
        schema = overview.schema
        bytes = overview.bytes
        jobs = overview.jobCount
        holders = overview.holders
        waitingEvents = depth?.messages
        consumers = depth?.consumers
    }

    /// Whether events get from the broker into this ledger.
    var isAtWork: Bool { claim == .this && !holders.isEmpty && consumers ?? 0 > 0 }

    /// The report for people, line by line.
    var lines: [String] {
        let claimed =
            switch claim {
            case .this: "has this ledger"
            case .other: "has another ledger: see 'uploadctl ledger adopt'"
            case .newerCopy: "has a newer copy of this ledger: see 'uploadctl ledger adopt'"
            case .none: "has no ledger yet: the first notifier that starts gives it its own"
            }
        let waiting =
            switch waitingEvents {
            case nil: "the broker has no queue for it yet"
            case 0?: "nothing waits"
            case 1?: "1 message waits"
            case let count?: "\(count) messages wait"
            }
        let rows =
            [
                ("namespace", "\(namespace) \(claimed)"), ("ledger", ledger), ("place", place),
                ("database", "\(database), schema \(schema), \(Quantity.text(bytes: bytes))"), ("jobs", "\(jobs)"),
            ] + notifiers + [
                ("backlog", consumers == 0 ? "\(waiting), and no notifier takes messages" : waiting)
            ]
        return rows.map { $0.padding(toLength: 11, withPad: " ", startingAt: 0) + PlainText.safe($1) }
    }

    private var notifiers: [(String, String)] {
        guard !holders.isEmpty else {
            return [("notifier", "none works with this ledger, as far as this host can see")]
        }
        // With one shard there is nothing to divide.
        let isDivided = holders.values.contains { $0.count > 1 } || holders.count > 1
        return holders.sorted { $0.key < $1.key }.map { holder, shards in
            let numbers = shards.sorted().map(String.init).joined(separator: ", ")
            return ("notifier", isDivided ? "\(holder): \(shards.count == 1 ? "shard" : "shards") \(numbers)" : holder)
        }
    }
}
