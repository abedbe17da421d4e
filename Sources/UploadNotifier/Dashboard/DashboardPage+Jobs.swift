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
            "<ul class=\"rows\">\(model.running.map { row($0) })</ul>")
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

    var failures: DashboardPart {
        let count = model.counts[.failed, default: 0]
        guard !model.failures.isEmpty else {
            return Self.card("failures", "Failures", Self.empty("Nothing failed."))
        }
        let listed = model.failures.count
        let all = button(
            listed == 1 ? "Run again" : "Run all \(listed) again",
            title: listed == 1 ? "Run the listed job again" : "Run all \(listed) listed jobs again",
            path: ["jobs", "run-again"], asks: listed > 1, fields: HTML.hidden("job", model.failures.map(\.id)),
            isEnabled: model.isBrokerThere)
        return Self.card(
            "failures", "Failures", note: Self.shown(listed, of: count, "the last "), action: listed > 1 ? all : nil,
            "<ul class=\"rows\">\(model.failures.map { row($0) })</ul>")
    }

    private func row(_ job: API.Job) -> HTML {
        let code = job.error?.code ?? "unknown"
        let again = button(
            "Run again", title: "Run \(job.target) again", path: ["jobs", job.id, "run-again"],
            isEnabled: model.isBrokerThere)
        return """
            <li id="failed-\(job.id)" class="split"><div><p class="line">\(Self.link(to: job))</p>
            <p class="reason">\(Self.badge(code, "bad")) <span>\(name: job.error?.message ?? "no reason is known")</span></p>
            <p class="facts"><span>\(DashboardText.time(job.endedAt ?? job.since, now: model.at))</span>\
            <span>\(name: job.queue)</span><span>\(DashboardText.bytes(job.size))</span>\
            <span>\(DashboardText.count(max(1, job.attempts), "attempt"))</span></p></div>
            \(again)</li>
            """
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
