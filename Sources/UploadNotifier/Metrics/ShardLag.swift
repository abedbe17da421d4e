import Foundation
import Uploads

/// How far the record of one shard is behind what has happened: the age of the oldest message that is at hand and not recorded yet, or the age
/// that the oldest message of the last batch had when it was recorded.
struct ShardLag: Equatable, Sendable {
    /// Seconds for which the last batch counts: longer than most intervals at which metrics are read.
    static let batchSeconds: TimeInterval = 60

    /// When the oldest message at hand that is not recorded was made.
    private(set) var waitingSince: Date?
    private var last: Batch?

    private struct Batch: Equatable {
        var seconds: TimeInterval
        var recordedAt: Date
    }

    /// Takes a message, by the clock of the program that made it. A message that comes once more, since it could not be recorded, changes
    /// nothing.
    mutating func take(madeAt: Date) { waitingSince = min(waitingSince ?? madeAt, madeAt) }

    /// Notes that all messages at hand are recorded.
    mutating func record(now: Date) {
        guard let waitingSince else { return }
        last = Batch(seconds: now.timeIntervalSince(waitingSince), recordedAt: now)
        self.waitingSince = nil
    }

    /// Seconds, 0 or more, whatever the clocks say.
    func seconds(now: Date) -> TimeInterval {
        let waiting = waitingSince.map { now.timeIntervalSince($0) } ?? 0
        guard let last, abs(now.timeIntervalSince(last.recordedAt)) < Self.batchSeconds else { return max(waiting, 0) }
        return max(waiting, last.seconds, 0)
    }
}

extension NotifierMessage {
    /// The job that the message is about and when it was made, for the messages of which there are many.
    var made: (job: JobID, at: Date)? {
        switch self {
        case .job(let job, _, _): (job.id, job.enqueuedAt)
        case .event(let event, _): (event.job.id, event.time)
        case .marker, .deadBaton, .order, .unreadable: nil
        }
    }
}
