import Foundation
import Uploads

/// What keeps jobs of a queue waiting at one destination: its limit, its circuit, or a pause that it asked for.
struct HoldUp: Encodable, Hashable, Sendable {
    /// Jobs that are looked at, the newest first.
    static let jobsMaximum = 100
    /// The wait reasons that are a destination's.
    private static let reasons: Set<String> = ["limited", "circuitOpen", "resting"]

    /// The destination's label.
    var destination: String
    /// The wait reason's word.
    var reason: String
    /// Of those that were looked at.
    var jobs: Int
    /// As a worker said it of one of them.
    var text: String?

    static func list(of waiting: [LedgerJob]) -> [HoldUp] {
        var all: [[String]: HoldUp] = [:]
        for job in waiting {
            guard let reason = job.reason, reasons.contains(reason) else { continue }
            let label = job.baton.job.destination.label
            var holdUp = all[[label, reason]] ?? HoldUp(destination: label, reason: reason, jobs: 0, text: nil)
            holdUp.jobs += 1
            holdUp.text = holdUp.text ?? job.trouble
            all[[label, reason]] = holdUp
        }
        return all.values.sorted { ($0.destination, $0.reason) < ($1.destination, $1.reason) }
    }
}

extension NotifierAPI {
    /// Of each queue that has jobs which wait.
    func holdUps(of loads: [QueueLoad]) async throws -> [QueueName: [HoldUp]] {
        var all: [QueueName: [HoldUp]] = [:]
        for load in loads where load.counts[.waiting, default: 0] > 0 {
            let filter = LedgerFilter(statuses: [.waiting], queue: load.queue, limit: HoldUp.jobsMaximum)
            all[load.queue] = HoldUp.list(of: try await ledger.jobs(filter).jobs)
        }
        return all
    }
}
