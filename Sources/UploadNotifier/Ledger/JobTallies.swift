import Foundation
import GRDB
import Uploads

/// Collects what one transaction changes in `tallies` and `throughput`, and writes it at the transaction's end: a thousand jobs that
/// start change two rows. Triggers did the same for each row, and took two thirds of the time of its update (measured: the page
/// Performance).
struct JobTallies {
    private struct Group: Hashable {
        var queue: String
        var destination: String
        var status: LedgerStatus

        init(_ job: LedgerJob) {
            queue = job.baton.job.queue.rawValue
            destination = job.baton.job.destination.label
            status = job.status
        }
    }

    private struct Tally {
        var jobs = 0
        var bytes: Int128 = 0

        mutating func add(_ count: Int, _ size: Int64) {
            jobs += count
            bytes += Int128(count) * Int128(size)
        }
    }

    /// A minute or an hour.
    private struct Time: Hashable {
        var queue: String
        /// Since 1970.
        var number: Int64

        init(_ job: LedgerJob, seconds: Double) {
            queue = job.baton.job.queue.rawValue
            number = Int64(saturating: job.since.timeIntervalSince1970 / seconds)
        }
    }

    private struct Ends {
        var completed = 0
        var failed = 0
        var cancelled = 0
        var bytes: Int128 = 0

        mutating func add(_ job: LedgerJob) {
            switch job.status {
            case .completed:
                completed += 1
                bytes += Int128(job.baton.job.size)
            case .failed: failed += 1
            case .cancelled: cancelled += 1
            case .queued, .running, .waiting, .paused: break
            }
        }
    }

    private var tallies: [Group: Tally] = [:]
    private var minutes: [Time: Ends] = [:]
    private var hours: [Time: Ends] = [:]

    /// - Parameter before: the job as it was; nil for a new one.
    mutating func move(_ job: LedgerJob, from before: LedgerJob?) {
        let group = Group(job)
        if let before {
            let old = Group(before)
            guard old != group || before.baton.job.size != job.baton.job.size else { return }
            add(-1, before, to: old)
        }
        add(1, job, to: group)
        if job.status.isEnd, before?.status != job.status { end(job) }
    }

    private mutating func add(_ count: Int, _ job: LedgerJob, to group: Group) {
        tallies[group, default: Tally()].add(count, job.baton.job.size)
    }

    private mutating func end(_ job: LedgerJob) {
        minutes[Time(job, seconds: 60), default: Ends()].add(job)
        hours[Time(job, seconds: 3600), default: Ends()].add(job)
    }

    func write(in db: Database) throws {
        for (group, tally) in tallies where tally.jobs != 0 || tally.bytes != 0 {
            let (low, high) = LedgerSums.parts(of: tally.bytes)
            try db.cachedStatement(sql: LedgerSums.tallySQL).execute(arguments: [
                group.queue, group.destination, group.status.rawValue, tally.jobs, low, high,
            ])
        }
        for (times, sql) in [(minutes, LedgerSums.throughputSQL), (hours, LedgerSums.hoursSQL)] {
            for (time, ends) in times {
                let (low, high) = LedgerSums.parts(of: ends.bytes)
                try db.cachedStatement(sql: sql).execute(arguments: [
                    time.queue, time.number, ends.completed, ends.failed, ends.cancelled, low, high,
                ])
            }
        }
    }
}
