import Foundation
import Uploads
import UploadsAPI

extension DashboardPage {
    var running: DashboardPart {
        let count = model.counts[.running, default: 0]
        guard !model.running.isEmpty else {
            return Self.card("running", "Running", Self.empty("Nothing is running."))
        }
        return Self.card(
            "running", "Running", note: Self.shown(model.running.count, of: count),
            """
            <ul class="rows">\(model.running.map { row($0) })</ul>\(count > model.running.count ? allRunning : nil)
            """)
    }

    private func row(_ running: DashboardModel.Running) -> HTML {
        let job = running.job
        let share = job.size > 0 ? Double(running.bytesDone) / Double(job.size) : 1
        let permille = min(1000, max(0, Int(saturating: share * 1000)))
        let done = "\(DashboardText.bytes(running.bytesDone)) of \(DashboardText.bytes(job.size))"
        var facts: [HTML] = ["<span>\(done)</span>"]
        if let rate = running.bytesPerSecond { facts.append("<span>\(DashboardText.rate(rate))</span>") }
        if let left = running.secondsLeft { facts.append("<span>\(DashboardText.duration(left)) left</span>") }
        facts.append("<span>\(name: job.queue)</span>")
        if job.attempts > 0 { facts.append("<span>attempt \(job.attempts + 1)</span>") }
        if job.isCancelling { facts.append(Self.badge("Cancelling", "warn")) }
        return """
            <li id="running-\(job.id)"><div class="line">\(Self.link(to: job))<span class="figure">\(permille / 10)%</span></div>
            <progress max="1000" value="\(permille)" aria-label="\(job.target)">\(permille / 10)%</progress>
            <p class="facts">\(facts)</p></li>
            """
    }

    /// What fails, by destination and error, with one button for each group.
    var failures: DashboardPart {
        let count = model.counts[.failed, default: 0]
        guard !model.failures.isEmpty else {
            return Self.card("failures", "Failures", Self.empty("Nothing failed."))
        }
        let shown = model.failures.prefix(Self.listMaximum)
        let more: HTML? =
            model.failures.count > shown.count
            ? "<p class=\"more\"><a href=\"\(DashboardJobList.path(["status": "failed"]))\">All failed jobs</a></p>"
            : nil
        return Self.card(
            "failures", "Failures", note: DashboardText.count(count, "failed job"),
            "<ul class=\"rows\">\(shown.map { row($0) })</ul>\(more)")
    }

    private func row(_ group: API.FailureGroup) -> HTML {
        let filter = DashboardJobFilter([
            "status": "failed", "destination": group.destination, "error": group.error,
        ])
        let again: HTML? =
            viewer.mayOperate
            ? "<a class=\"button\" href=\"\(DashboardBulkPage.path(.runAgain, filter))\">Run again…</a>" : nil
        let newest: HTML? = group.newest.map { "<span><a href=\"/dashboard/jobs/\($0)\">the last one</a></span>" }
        return """
            <li id="failed-\(group.destination)-\(group.error)" class="split"><div><p class="line">\
            <a class="title" href="/dashboard/jobs?\(filter.query())">\(DashboardText.count(group.jobs)) at \(name: group.destination)</a></p>
            <p class="reason">\(Self.badge(group.error, "bad")) <span>\(name: group.message ?? "no reason is known")</span></p>
            <p class="facts"><span>last \(DashboardText.time(group.lastEndedAt, now: model.at))</span>\
            <span>first \(DashboardText.time(group.firstEndedAt, now: model.at))</span>\(newest)</p></div>\(again)</li>
            """
    }

    private var allRunning: HTML {
        "<p class=\"more\"><a href=\"\(DashboardJobList.path(["status": "running"]))\">All running jobs</a></p>"
    }

    private static func link(to job: API.Job) -> HTML {
        "<a class=\"title\" href=\"/dashboard/jobs/\(job.id)\">\(name: job.target)</a>"
    }

    /// `20 of 31` where only some are listed, otherwise the count.
    static func shown(_ listed: Int, of count: Int, _ which: String = "") -> String {
        count > listed
            ? "\(which)\(listed) of \(DashboardText.count(count))" : DashboardText.count(max(count, listed))
    }
}
