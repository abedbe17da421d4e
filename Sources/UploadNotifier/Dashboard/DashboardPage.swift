import Foundation
import Uploads

/// The dashboard as HTML: the whole document for a page load, its parts for the stream of changes.
struct DashboardPage: Sendable {
    /// Rows of a list, unless the model has fewer: long lists have pages of their own.
    static let listMaximum = 6

    let model: DashboardModel
    let viewer: DashboardViewer

    init(_ model: DashboardModel, for viewer: DashboardViewer) {
        self.model = model
        self.viewer = viewer
    }

    /// In the order of the page: running jobs first, dead letters last.
    var parts: [DashboardPart] { [alerts, summary] + main + aside }

    private var main: [DashboardPart] { [running, queues, failures] }
    private var aside: [DashboardPart] { [throughput, delegates, destinations, deadLetters] }

    /// - Parameter notice: the result of the order after which the browser was redirected to this page.
    func document(notice: DashboardNotice?) -> HTML {
        PageFrame.page(
            "Longshore", at: .pool, for: viewer, updates: .stream, notice: notice,
            """
            <form method="get" action="/dashboard/jobs" class="find" role="search">
            <label class="hidden" for="find">Find jobs by a part of their names</label>
            <input id="find" name="text" type="search" placeholder="Find a file …" required minlength="\(LedgerFilter.textCountMinimum)" \
            maxlength="\(LedgerFilter.textCountMaximum)"><button>Find</button></form>
            \(alerts.html)\(summary.html)
            <div class="columns">
            <div class="column">\(main.map(\.html))</div>
            <div class="column">\(aside.map(\.html))</div>
            </div>
            """)
    }

    private var alerts: DashboardPart {
        let alerts = model.problems.map { problem -> HTML in "<p class=\"alert warn\" role=\"alert\">\(problem)</p>" }
        return DashboardPart("part-alerts", "<div id=\"part-alerts\">\(alerts)</div>")
    }

    private var summary: DashboardPart {
        let counts = model.counts
        let waiting = counts[.queued, default: 0].addingSaturating(counts[.waiting, default: 0])
        let completed = model.minutes.lazy.map(\.completed).sumSaturating()
        let running = counts[.running, default: 0]
        let failed = counts[.failed, default: 0]
        return DashboardPart(
            "part-summary",
            """
            <section id="part-summary" aria-label="Summary" data-title="\(running > 0 ? "\(running) running" : "Idle")">
            <dl class="tiles">
            \(Self.tile("Running", DashboardText.count(running), running > 0 ? "live" : "", statuses: [.running]))
            \(Self.tile("Waiting", DashboardText.count(waiting), statuses: [.queued, .waiting]))
            \(Self.tile("Paused", DashboardText.count(counts[.paused, default: 0]), statuses: [.paused]))
            \(Self.tile("Failed", DashboardText.count(failed), failed > 0 ? "bad" : "", statuses: [.failed]))
            \(Self.tile("Completed in an hour", DashboardText.count(completed), statuses: [.completed]))
            \(Self.tile("Throughput", DashboardText.rate(model.bytesPerSecond)))
            </dl>
            </section>
            """)
    }

    /// - Parameter statuses: those of the jobs to whose list it leads; none for a figure without a list.
    private static func tile(
        _ name: String, _ figure: String, _ look: String = "", statuses: [LedgerStatus] = []
    ) -> HTML {
        let words = statuses.map(\.rawValue).joined(separator: ",")
        let title: HTML = statuses.isEmpty ? "\(name)" : "<a href=\"/dashboard/jobs?status=\(words)\">\(name)</a>"
        return "<div class=\"tile\(look.isEmpty ? "" : " \(look)")\"><dt>\(title)</dt><dd>\(figure)</dd></div>"
    }

    private var throughput: DashboardPart {
        let jobs = model.minutes.lazy.map(\.completed).sumSaturating()
        let failed = model.minutes.lazy.map(\.failed).sumSaturating()
        let bytes = model.minutes.lazy.map(\.bytes).sumSaturating()
        guard jobs > 0 || failed > 0 else {
            return Self.card(
                "throughput", "Throughput",
                "\(Self.empty("Nothing has ended within the last hour."))\(DashboardHistory.choices(nil))")
        }
        let failures: HTML? = failed > 0 ? "<span class=\"key bad\">\(DashboardText.count(failed)) failed</span>" : nil
        return Self.card(
            "throughput", "Throughput", note: "The last hour",
            """
            <figure><figcaption><span class="key good">\(DashboardText.count(jobs)) completed</span>\(failures)</figcaption>
            \(ThroughputChart.jobs(model.minutes, each: "minute", over: "the last hour"))</figure>
            <figure><figcaption><span class="key flow">\(DashboardText.bytes(bytes))</span></figcaption>
            \(ThroughputChart.bytes(model.minutes, each: "minute", over: "the last hour"))
            <p class="axis" aria-hidden="true"><span>an hour ago</span><span>now</span></p></figure>
            \(DashboardHistory.choices(.hour))
            """)
    }

    // MARK: Elements of all parts

    /// - Parameters:
    ///   - note: beside the heading.
    ///   - action: at the end of the heading's line.
    static func card(
        _ name: String, _ title: String, note: String? = nil, action: HTML? = nil, _ content: HTML
    ) -> DashboardPart {
        let note: HTML? = note.map { "<p class=\"note\">\($0)</p>" }
        return DashboardPart(
            "part-\(name)",
            """
            <section class="card" id="part-\(name)" aria-labelledby="heading-\(name)">
            <div class="heading"><h2 id="heading-\(name)">\(title)</h2>\(note)\(action)</div>
            \(content)
            </section>
            """)
    }

    static func empty(_ text: String) -> HTML { "<p class=\"empty\">\(text)</p>" }

    static func badge(_ text: String, _ look: String) -> HTML { "<span class=\"badge \(look)\">\(text)</span>" }

    /// The characters of a part of a path, and of a value in a query, that stay as they are.
    static let pathCharacters = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
}
