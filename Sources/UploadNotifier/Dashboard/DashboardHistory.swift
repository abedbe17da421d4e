import Foundation
import Uploads
import UploadsAPI

/// The page of what has ended in an hour, a day, a week or a month: charts, and the same as a table.
struct DashboardHistory: Sendable {
    let history: API.History
    /// nil: all queues.
    let queue: String?
    let viewer: DashboardViewer

    static func path(_ period: HistoryPeriod, queue: String? = nil) -> String {
        "/dashboard/history?"
            + DashboardText.query([("period", period.rawValue)] + (queue.map { [("queue", $0)] } ?? []))
    }

    /// The links to the history of each period.
    static func choices(_ chosen: HistoryPeriod?, queue: String? = nil) -> HTML {
        let links = HistoryPeriod.allCases.map { period -> HTML in
            let mark: HTML? = period == chosen ? " aria-current=\"true\"" : nil
            let name = "\(period.rawValue.prefix(1).uppercased())\(period.rawValue.dropFirst())"
            return "<li><a href=\"\(path(period, queue: queue))\"\(mark)>\(name)</a></li>"
        }
        return "<ul class=\"choices\">\(links)</ul>"
    }

    var document: HTML {
        let period = HistoryPeriod(rawValue: history.period) ?? .day
        let buckets = history.buckets
        let completed = buckets.lazy.map(\.completed).sumSaturating()
        let failed = buckets.lazy.map(\.failed).sumSaturating()
        let bytes = buckets.lazy.map(\.bytes).sumSaturating()
        let minutes = buckets.map {
            ThroughputMinute(
                start: $0.start, completed: $0.completed, failed: $0.failed, cancelled: $0.cancelled, bytes: $0.bytes)
        }
        let unit = DashboardText.duration(Double(history.bucketSeconds))
        let whose = queue.map { "queue \($0)" } ?? "all queues"
        return PageFrame.page(
            "History", at: .pool, for: viewer, updates: .fetched(Self.path(period, queue: queue)),
            """
            <section class="card" aria-labelledby="heading-history"><div class="heading"><h2 id="heading-history">History</h2>\
            <p class="note">the last \(history.period), \(whose)</p></div>\(Self.choices(period, queue: queue))
            <figure><figcaption><span class="key good">\(DashboardText.count(completed)) completed</span>\
            <span class="key bad">\(DashboardText.count(failed)) failed</span></figcaption>
            \(ThroughputChart.jobs(minutes, each: unit, over: "the last \(history.period)"))</figure>
            <figure><figcaption><span class="key flow">\(DashboardText.bytes(bytes))</span></figcaption>
            \(ThroughputChart.bytes(minutes, each: unit, over: "the last \(history.period)"))
            <p class="axis"><span>\(DashboardText.duration(history.until.timeIntervalSince(history.from))) ago</span><span>now</span></p></figure></section>
            \(table)
            """)
    }

    /// The parts of the period in which something ended, the newest first.
    private var table: HTML? {
        let rows = history.buckets.reversed().filter { $0.completed + $0.failed + $0.cancelled > 0 }
        guard !rows.isEmpty else { return nil }
        return """
            <details class="card"><summary>As a table</summary>
            <table role="table"><thead role="rowgroup"><tr role="row"><th role="columnheader" scope="col">From (UTC)</th>\
            <th role="columnheader" scope="col" class="number">Completed</th><th role="columnheader" scope="col" class="number">Failed</th>\
            <th role="columnheader" scope="col" class="number">Cancelled</th><th role="columnheader" scope="col" class="number">Bytes</th></tr></thead>
            <tbody role="rowgroup">\(rows.map { row($0) })</tbody></table></details>
            """
    }

    private func row(_ bucket: API.HistoryBucket) -> HTML {
        """
        <tr role="row"><th role="rowheader" scope="row">\(String(WireJSON.timestamp(bucket.start).prefix(16)).replacing("T", with: " "))</th>
        \(DashboardPage.cell("Completed", "\(DashboardText.count(bucket.completed))"))
        \(DashboardPage.cell("Failed", "\(DashboardText.count(bucket.failed))"))
        \(DashboardPage.cell("Cancelled", "\(DashboardText.count(bucket.cancelled))"))
        \(DashboardPage.cell("Bytes", "\(DashboardText.bytes(bucket.bytes))"))</tr>
        """
    }
}
