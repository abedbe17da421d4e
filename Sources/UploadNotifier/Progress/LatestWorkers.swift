import Foundation
import Uploads

/// The last report of each worker on itself: a pure value.
///
/// A worker that is silent for a while is forgotten, and one that says it has stopped is forgotten at once.
struct LatestWorkers: Sendable {
    /// Seconds after which a silent worker is forgotten: two of its reports may be lost before.
    static let silenceMaximum: TimeInterval = 30
    /// The most workers that are kept; reports of more workers are dropped.
    static let countMaximum = 5_000

    struct Entry: Hashable, Sendable {
        var report: WorkerReport
        /// By the notifier's clock; only this clock measures how long a worker has been silent.
        var heardAt: Date
    }

    private var entries: [String: Entry] = [:]

    mutating func note(_ report: WorkerReport, now: Date) {
        let longest = [report.worker, report.host, report.version, report.commit ?? ""].map(\.utf8.count).max() ?? 0
        guard longest <= WorkerReport.textBytesMaximum else { return }
        let known = entries[report.worker]
        if let known, Self.isFresh(known, now), report.at < known.report.at { return }
        guard report.state != .stopped else {
            entries[report.worker] = nil
            return
        }
        if known == nil, entries.count >= Self.countMaximum { entries = entries.filter { Self.isFresh($0.value, now) } }
        guard known != nil || entries.count < Self.countMaximum else { return }
        entries[report.worker] = Entry(report: report, heardAt: now)
    }

    /// The workers with a recent report, in the order of their names.
    func all(now: Date) -> [Entry] {
        entries.values.filter { Self.isFresh($0, now) }.sorted { $0.report.worker < $1.report.worker }
    }

    /// The name of the worker that reported the job last; nil where none did.
    func worker(running id: JobID, now: Date) -> String? {
        entries.values.filter { entry in Self.isFresh(entry, now) && entry.report.jobs.contains { $0.id == id } }
            .max { $0.heardAt < $1.heardAt }?.report.worker
    }

    private static func isFresh(_ entry: Entry, _ now: Date) -> Bool {
        now.timeIntervalSince(entry.heardAt) < silenceMaximum
    }
}
