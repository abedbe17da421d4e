import Foundation
import Uploads
import UploadsAPI

/// The state of the watched uploads: a pure fold over events, progress reports and counts.
struct WatchedUploads {
    /// Seconds without a report after which a job is no longer shown: its worker reports every second.
    static let silenceMaximum: TimeInterval = 10

    private struct Entry {
        var bar: UploadBar
        var heardAt: TimeInterval
    }

    private var entries: [String: Entry] = [:]
    /// Jobs by status, of all watched queues; nil while the counts are unknown.
    private var counts: [String: Int]?
    /// Whether the connection to the notifier is broken.
    private(set) var isBroken = false

    /// - Parameter time: seconds on any clock that does not jump.
    mutating func apply(_ progress: API.JobProgress, at time: TimeInterval) {
        entries[progress.job] = Entry(
            bar: UploadBar(
                name: Self.name(progress.target), way: "\(progress.queue) → \(progress.destination)",
                bytesDone: progress.bytesDone, bytesTotal: progress.size, bytesPerSecond: progress.bytesPerSecond),
            heardAt: time)
    }

    mutating func apply(_ event: API.Event) {
        // A job that was handed over goes on at another worker in a moment.
        guard event.kind != "started", event.kind != "handedOver" else { return }
        entries[event.job] = nil
    }

    mutating func note(_ queues: [API.Queue], of name: String?) {
        let watched = queues.filter { name == nil || $0.name == name }
        counts = watched.reduce(into: [:]) { $0.merge($1.jobs, uniquingKeysWith: +) }
    }

    mutating func connected() { isBroken = false }

    /// Forgets all bars and counts, which may be out of date from now on.
    mutating func broken() {
        isBroken = true
        entries = [:]
        counts = nil
    }

    /// The bars of as many jobs as there is room for, the most active first, and a line with the totals.
    mutating func lines(columns: Int, rows: Int, at time: TimeInterval) -> [String] {
        entries = entries.filter { time - $0.value.heardAt < Self.silenceMaximum }
        // Sorted by the power of two of the rate, so that bars do not change places all the time.
        let bars = entries.sorted { left, right in
            let (leftRank, rightRank) = (Self.rank(left.value.bar), Self.rank(right.value.bar))
            return leftRank == rightRank ? left.key < right.key : leftRank > rightRank
        }.map(\.value.bar)
        // The rest of the rows is for the events that scroll above the bars.
        let shown = bars.prefix(max(1, rows - 1 - min(8, rows / 3)))
        return shown.map { $0.line(columns: columns) }
            + [PlainText.cut(summary(bars, hidden: bars.count - shown.count), to: columns)]
    }

    private func summary(_ bars: [UploadBar], hidden: Int) -> String {
        if isBroken { return "waiting for the notifier" }
        let rate = Int64(saturating: bars.reduce(0) { $0 + ($1.bytesPerSecond ?? 0) })
        var parts = ["\(max(bars.count, counts?["running"] ?? 0)) running"]
        if let counts {
            parts.append("\(counts["queued"] ?? 0) queued")
            parts += ["waiting", "paused"].compactMap { word in
                counts[word].flatMap { $0 > 0 ? "\($0) \(word)" : nil }
            }
        }
        return parts.joined(separator: ", ") + (rate > 0 ? "  \(Quantity.text(bytes: rate))/s" : "")
            + (hidden > 0 ? "  (\(hidden) not shown)" : "")
    }

    private static func rank(_ bar: UploadBar) -> Int { Int(saturating: log2(max(1, bar.bytesPerSecond ?? 0))) }

    /// `cat.jpg` of `photos:2026/cat.jpg`.
    private static func name(_ target: String) -> String {
        let name = target.split(whereSeparator: { $0 == "/" || $0 == ":" }).last
        return name.map(String.init) ?? target
    }
}
