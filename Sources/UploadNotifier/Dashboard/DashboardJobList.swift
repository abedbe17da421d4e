import Foundation
import Uploads
import UploadsAPI

/// Jobs that match a search and filters, the newest first, page by page.
struct DashboardJobList: Sendable {
    /// The fields of the form, which are parameters of the page's address as well as of `GET /v1/jobs`.
    static let fields = ["text", "status", "queue", "destination", "batch"]
    /// Jobs on a page.
    static let count = 50

    /// Values of ``fields``; those that were left empty are missing.
    let filter: [String: String]
    /// nil when the filter cannot be read: ``problem`` says why.
    var jobs: API.JobPage?
    var problem: APIProblem?
    let at: Date

    func document(canSignOut: Bool) -> HTML {
        PageFrame.document(
            title: "Jobs · Longshore", header: PageFrame.signOut(canSignOut),
            body: """
                <main id="main">
                <p class="back"><a href="/">All of the pool</a></p>
                <section class="card" aria-labelledby="heading-jobs"><div class="heading"><h2 id="heading-jobs">Jobs</h2></div>
                \(form)\(alert)\(list)</section>
                </main>
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
            let isChosen = value == filter["status", default: ""]
            return "<option value=\"\(value)\"\(isChosen ? HTML(" selected") : nil)>\(label)</option>"
        }
        return """
            <form method="get" action="/dashboard/jobs" class="filters" role="search">
            \(field("text", "Name contains"))
            <label>Status <select name="status">\(options)</select></label>
            \(field("queue", "Queue"))\(field("destination", "Destination"))\(field("batch", "Batch"))
            <button class="strong">Show</button></form>
            """
    }

    private func field(_ name: String, _ label: String) -> HTML {
        "<label>\(label) <input name=\"\(name)\" type=\"search\" value=\"\(filter[name] ?? "")\"></label>"
    }

    private var list: HTML? {
        guard let jobs else { return nil }
        let older: HTML? = jobs.next.map { next in
            "<p class=\"more\"><a href=\"/dashboard/jobs?\(Self.query(filter, after: next))\">Older jobs</a></p>"
        }
        // A page of a search may be empty though there is a next one.
        let none = jobs.next == nil ? "No job matches." : "None of these jobs matches."
        return """
            \(jobs.jobs.isEmpty ? DashboardPage.empty(none) : nil)<ul class="rows">\(jobs.jobs.map { row($0) })</ul>\(older)
            """
    }

    private func row(_ job: API.Job) -> HTML {
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

    /// The query of the page's address.
    static func query(_ filter: [String: String], after: String? = nil) -> String {
        var pairs = fields.compactMap { name in filter[name].map { (name, $0) } }
        if let after { pairs.append(("after", after)) }
        return pairs.map { name, value in
            "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: DashboardPage.pathCharacters) ?? "")"
        }.joined(separator: "&")
    }
}
