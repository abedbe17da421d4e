import Foundation

/// How often in a row the broker gave a job's message up, while no worker told anything of the job.
public struct DropTally: Codable, Hashable, Sendable {
    /// For any reason.
    public private(set) var count = 0
    /// Of these, because it was delivered too often.
    public private(set) var undelivered = 0

    public init() {}

    mutating func add(_ cause: DeathCause) {
        count = count.addingSaturating(1)
        if cause == .deliveryLimit { undelivered = undelivered.addingSaturating(1) }
    }

    /// Seconds until the job is issued anew: 2, twice as long each time, at most 10 minutes. Whatever drops the message may do so
    /// again, and every generation costs entries in ledger and control log.
    var pause: TimeInterval { min(600, pow(2, Double(min(max(1, count), 16)))) }
}
