import Foundation
import Uploads
import UploadsAPI

/// Jobs that match a search and filters, the newest first, page by page, and the verbs for all of them.
struct DashboardJobList: Sendable {
    /// Jobs on a page.
    static let count = 25

    let filter: DashboardJobFilter
    let viewer: DashboardViewer
    /// nil when the filter cannot be read: ``problem`` says why.
    var jobs: API.JobPage?
    var problem: APIProblem?
    let at: Date

    init(filter: DashboardJobFilter, viewer: DashboardViewer, at: Date) {
        self.filter = filter
        self.viewer = viewer
        self.at = at
    }

    /// The address of a list.
    static func path(_ values: [String: String]) -> String { "/dashboard/jobs?\(DashboardJobFilter(values).query())" }

    func document(notice: DashboardNotice?) -> HTML {
        PageFrame.page(
            "Jobs", at: .jobs, for: viewer, updates: .none, notice: notice,
            """
            <section class="card" aria-labelledby="heading-jobs"><div class="heading"><h2 id="heading-jobs">Jobs</h2></div>
            \(form)\(alert)\(bulk)\(list)</section>
            """)
    }

    private var alert: HTML? {
        problem.map { "<p class=\"alert bad inside\" role=\"alert\">\($0.sentence)</p>" }
    }

    private var form: HTML {
        let statuses =
            [("", "any"), ("queued,waiting", "queued or waiting")]
            + LedgerStatus.allCases.map { ($0.rawValue, $0.rawValue) }
        let options = statuses.map { value, label -> HTML in
            let isChosen = value == filter["status"]
            return "<option value=\"\(value)\"\(isChosen ? HTML(" selected") : nil)>\(label)</option>"
        }
        let more = ["client", "error", "since", "until", "endedSince", "endedUntil"]
        let isOpen = more.contains { !filter[$0].isEmpty }
        let times = "2h, 12:00 (\(PastMoment.zone))"
        return """
            <form method="get" action="/dashboard/jobs" role="search">
            <div class="filters">\(field("text", "Name or text"))
            <label>Status <select name="status">\(options)</select></label>
            \(field("queue", "Queue"))\(field("destination", "Destination"))\(field("batch", "Batch"))
            <button class="strong">Show</button></div>
            <details\(isOpen ? HTML(" open") : nil)><summary>More filters</summary><div class="filters">
            \(field("error", "Error", "accessDenied"))\(field("client", "App"))
            \(field("since", "Enqueued since", times))\(field("until", "Enqueued before", times))
            \(field("endedSince", "Ended since", times))\(field("endedUntil", "Ended before", times))</div></details></form>
            """
    }

    private func field(_ name: String, _ label: String, _ placeholder: String = "") -> HTML {
        let hint: HTML? = placeholder.isEmpty ? nil : " placeholder=\"\(placeholder)\""
        return "<label>\(label) <input name=\"\(name)\" type=\"search\" value=\"\(filter[name])\"\(hint)></label>"
    }

    /// The verbs for all jobs that match, each of which asks first.
    private var bulk: HTML? {
        let isAllowed = filter.values["queue"].map(viewer.mayOperate) ?? viewer.mayOperate
        guard let jobs, !jobs.jobs.isEmpty, isAllowed else { return nil }
        let words = filter.values["status"].map {
            $0.split(separator: ",").compactMap { LedgerStatus(rawValue: String($0)) }
        }
        let verbs = DashboardJobVerb.allCases.filter { $0.fits(words.map { Set($0) }) }
        guard !verbs.isEmpty else { return nil }
        let links = verbs.map { verb -> HTML in
            "<a class=\"button\" href=\"\(DashboardBulkPage.path(verb, filter))\">\(verb.label("all"))…</a>"
        }
        return "<div class=\"bulk\" role=\"group\" aria-label=\"All jobs that match\">\(links)</div>"
    }

    private var list: HTML? {
        guard let jobs else { return nil }
        let older: HTML? = jobs.next.map { next in
            "<p class=\"more\"><a href=\"/dashboard/jobs?\(filter.query([("after", next)]))\">Older jobs</a></p>"
        }
        // A page of a search may be empty though there is a next one.
        let none = jobs.next == nil ? "No job matches." : "None of these jobs matches."
        return """
            \(jobs.jobs.isEmpty ? DashboardPage.empty(none) : nil)<ul class="rows">\(jobs.jobs.map { Self.row($0, at) })</ul>\(older)
            """
    }

    static func row(_ job: API.Job, _ at: Date) -> HTML {
        let why = job.error.map { "\($0.message) (\($0.code))" } ?? (job.status == "waiting" ? job.reason : nil)
        let reason: HTML? = why.map { "<p class=\"reason\">\(name: $0)</p>" }
        let batch: HTML? = job.batch.map { "<span>\(name: $0)</span>" }
        return """
            <li><p class="line"><a class="title" href="/dashboard/jobs/\(job.id)">\(name: job.target)</a>\
            <span class="figure">\(DashboardPage.badge(job.status, DashboardJobPage.look(of: job)))</span></p>\(reason)
            <p class="facts"><span>\(DashboardText.time(job.since, now: at))</span><span>\(name: job.queue)</span>\(batch)\
            <span>\(DashboardText.bytes(job.size))</span></p></li>
            """
    }
}
