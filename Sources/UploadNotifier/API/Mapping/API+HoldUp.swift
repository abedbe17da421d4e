import Uploads
import UploadsAPI

extension API.HoldUp {
    /// The most waiting jobs of a queue that are looked at, the newest first.
    static let jobsMaximum = 100
    /// The wait reasons that a destination is the cause of.
    private static let reasons: Set<String> = ["limited", "circuitOpen", "resting"]

    static func list(of waiting: [LedgerJob]) -> [API.HoldUp] {
        var all: [[String]: API.HoldUp] = [:]
        for job in waiting {
            guard let reason = job.reason, reasons.contains(reason) else { continue }
            let label = job.baton.job.destination.label
            var holdUp = all[[label, reason]] ?? API.HoldUp(destination: label, reason: reason, jobs: 0)
            holdUp.jobs += 1
            holdUp.text = holdUp.text ?? job.trouble
            all[[label, reason]] = holdUp
        }
        return all.values.sorted { ($0.destination, $0.reason) < ($1.destination, $1.reason) }
    }
}

extension NotifierAPI {
    /// The destinations that keep jobs waiting, for each queue that has waiting jobs.
    func holdUps(of loads: [QueueLoad]) async throws -> [QueueName: [API.HoldUp]] {
        var all: [QueueName: [API.HoldUp]] = [:]
        for load in loads where load.counts[.waiting, default: 0] > 0 {
            let filter = LedgerFilter(statuses: [.waiting], queue: load.queue, limit: API.HoldUp.jobsMaximum)
            all[load.queue] = API.HoldUp.list(of: try await ledger.jobs(filter).jobs)
        }
        return all
    }
}
