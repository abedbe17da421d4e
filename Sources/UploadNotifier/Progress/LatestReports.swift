import Foundation
import Uploads

/// What each worker told last of each destination: a pure value.
///
/// A worker that has nothing to tell is silent, and so is one that died: what it told is forgotten after a while.
struct LatestReports: Sendable {
    /// Seconds: three of a worker's reports may be lost, or late, before it is forgotten.
    static let silenceMaximum: TimeInterval = 30
    /// Most reports that are kept; of more pairs of worker and destination nothing is shown.
    static let countMaximum = 5_000

    private struct Key: Hashable, Sendable {
        var worker: String
        /// Hosts of URLs that share a scheme are told apart.
        var origin: String
    }

    private struct Entry: Sendable {
        var report: DestinationReport
        var heardAt: Date
    }

    private var entries: [String: [Key: Entry]] = [:]
    private var count = 0
    private var prunedAt = Date.distantPast

    /// - Parameter now: by the notifier's clock, which alone says how long somebody has been silent.
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

    /// In the order of workers and origins.
    func reports(at destination: String, now: Date) -> [DestinationReport] {
        (entries[destination] ?? [:]).values.filter { Self.isFresh($0, now) }.map(\.report)
            .sorted { ($0.worker, $0.origin ?? "") < ($1.worker, $1.origin ?? "") }
    }

    /// Those of which somebody told lately.
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
