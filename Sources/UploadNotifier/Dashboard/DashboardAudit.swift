import Foundation
import Uploads
import UploadsAPI

/// The page of what operators have ordered, the newest first.
struct DashboardAudit: Sendable {
    /// The fields of the form, which are parameters of the page's address as well as of `GET /v1/audit`.
    static let fields = ["by", "verb"]
    /// Orders on a page.
    static let count = 25

    /// Values of ``fields``; those that were left empty are missing.
    let filter: [String: String]
    let page: API.AuditPage
    let viewer: DashboardViewer
    let at: Date

    var document: HTML {
        let older: HTML? = page.next.map { next in
            "<p class=\"more\"><a href=\"/dashboard/audit?\(query(before: next))\">Older orders</a></p>"
        }
        return PageFrame.page(
            "Orders", at: .orders, for: viewer, updates: .none,
            """
            <section class="card" aria-labelledby="heading-audit"><div class="heading"><h2 id="heading-audit">Orders</h2>\
            <p class="note">the newest first</p></div>
            <form method="get" action="/dashboard/audit" class="filters" role="search">
            <label>By <input name="by" type="search" value="\(filter["by"] ?? "")"></label>
            <label>Verb <input name="verb" type="search" value="\(filter["verb"] ?? "")"></label>
            <button class="strong">Show</button></form>
            \(page.entries.isEmpty ? DashboardPage.empty("No order matches.") : nil)
            <ul class="rows">\(page.entries.map { row($0) })</ul>\(older)</section>
            """)
    }

    private func query(before next: Int64) -> String {
        DashboardText.query(
            Self.fields.compactMap { name in filter[name].map { (name, $0) } } + [("before", "\(next)")])
    }

    private func row(_ entry: API.AuditEntry) -> HTML {
        let look = entry.done == nil ? "warn" : entry.done == entry.matched ? "good" : "bad"
        let subject: HTML =
            entry.job.map { "<a class=\"title\" href=\"/dashboard/jobs/\($0)\">\(name: entry.subject)</a>" }
            ?? "<span class=\"title\">\(name: entry.subject)</span>"
        let reason: HTML? = entry.reason.map { "<p class=\"reason\">\(name: $0)</p>" }
        return """
            <li><p class="line"><span class="verb">\(entry.verb)</span> \(subject)\
            <span class="figure">\(DashboardPage.badge(entry.result, look))</span></p>\(reason)
            <p class="facts"><span>\(DashboardText.time(entry.at, now: at))</span><span>\(name: entry.by)</span></p></li>
            """
    }
}
