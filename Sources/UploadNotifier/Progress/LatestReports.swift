import Foundation
import Uploads

/// The last report of each worker about each destination: a pure value.
///
/// A worker that has nothing to report is silent, and so is a dead worker: its reports are forgotten after a while.
struct LatestReports: Sendable {
    /// Seconds after which a silent worker is forgotten: three of its reports may be lost or late before.
    static let silenceMaximum: TimeInterval = 30
    /// The most reports that are kept; reports of more pairs of worker and destination are dropped.
    static let countMaximum = 5_000

    private struct Key: Hashable, Sendable {
        var worker: String
        /// The report's origin, so that hosts with the same URL scheme have a report each; the destination where it
        /// names none.
        var origin: String
    }

    private struct Entry: Sendable {
        var report: DestinationReport
        var heardAt: Date
    }

    private var entries: [String: [Key: Entry]] = [:]
    private var count = 0
    private var prunedAt = Date.distantPast

    /// - Parameter now: the time by the notifier's clock; only this clock measures how long a worker has been silent.
    mutating func note(_ report: DestinationReport, now: Date) {
        prune(now)
        let longest = max(report.worker.utf8.count, report.destination.utf8.count, report.origin?.utf8.count ?? 0)
        guard longest <= DestinationReport.textBytesMaximum else { return }
        let key = Key(worker: report.worker, origin: report.origin ?? report.destination)
        let known = entries[report.destination]?[key]
        if let known, report.at < known.report.at { return }
        guard known != nil || count < Self.countMaximum else { return }
        if known == nil { count += 1 }
        entries[report.destination, default: [:]][key] = Entry(report: report, heardAt: now)
    }

    /// The reports, in the order of workers and origins.
    func reports(at destination: String, now: Date) -> [DestinationReport] {
        (entries[destination] ?? [:]).values.filter { Self.isFresh($0, now) }.map(\.report)
            .sorted { ($0.worker, $0.origin ?? "") < ($1.worker, $1.origin ?? "") }
    }

    /// The destinations with a recent report.
    func destinations(now: Date) -> Set<String> {
        Set(entries.filter { $0.value.values.contains { Self.isFresh($0, now) } }.keys)
    }

    private static func isFresh(_ entry: Entry, _ now: Date) -> Bool {
        now.timeIntervalSince(entry.heardAt) < silenceMaximum
    }

    private mutating func prune(_ now: Date) {
        guard abs(now.timeIntervalSince(prunedAt)) >= 1 else { return }
        prunedAt = now
        entries = entries.mapValues { $0.filter { Self.isFresh($0.value, now) } }.filter { !$0.value.isEmpty }
        count = entries.values.reduce(0) { $0 + $1.count }
    }
}
