import Foundation

/// How often in a row the broker gave a job's message up, while no worker reported anything of the job.
public struct DropTally: Codable, Hashable, Sendable {
    /// For any reason.
    public private(set) var count = 0
    /// How many of these because the message was delivered too often.
    public private(set) var undelivered = 0

    public init() {}

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        count = try container.decode(0...WireLimits.countMaximum, forKey: .count)
        undelivered = try container.decode(0...WireLimits.countMaximum, forKey: .undelivered)
    }

    mutating func add(_ cause: DeathCause) {
        count.advance()
        if cause == .deliveryLimit { undelivered.advance() }
    }

    /// Seconds until the job is issued anew: 2, twice as long each time, at most 10 minutes. Whatever drops the message may do so
    /// again, and every generation costs entries in ledger and control log.
    var pause: TimeInterval { min(600, pow(2, Double(min(max(1, count), 16)))) }
}
