import Foundation
import Uploads
import UploadsAPI

/// The page of one transfer queue: what is in it, how long that takes, and its serial line.
struct DashboardQueuePage: Sendable {
    /// Jobs of the serial line on the page.
    static let count = 25

    let queue: API.Queue
    /// nil for a queue that never had a serial line.
    let line: API.Line?
    let isBrokerThere: Bool
    let viewer: DashboardViewer
    let at: Date

    static func path(_ name: String) -> String { "/dashboard/queues/\(name)" }

    func document(notice: DashboardNotice?) -> HTML {
        PageFrame.page(
            "Queue \(queue.name)", at: .queues, for: viewer, updates: .fetched(Self.path(queue.name)), notice: notice,
            """
            <section class="card job" aria-labelledby="heading-queue">
            <div class="heading"><h2 id="heading-queue" class="title">Queue \(name: queue.name)</h2>\
            \(queue.isStopped == true ? DashboardPage.badge("Stopped", "warn") : nil)</div>
            <p class="why">\(summary)</p>
            <div class="verbs">\(Self.toggle(queue, viewer, isEnabled: isBrokerThere))\
            <a href="\(DashboardHistory.path(.day, queue: queue.name))">History</a></div></section>
            <div class="columns"><div class="column">\(serialLine)</div><div class="column">\(lanes)\(facts)</div></div>
            """)
    }

    /// The button that stops the queue, or starts it; nil while the broker cannot be asked.
    static func toggle(_ queue: API.Queue, _ viewer: DashboardViewer, isEnabled: Bool) -> HTML? {
        guard let isStopped = queue.isStopped else { return nil }
        let (verb, label) = isStopped ? ("start", "Start") : ("stop", "Stop")
        return viewer.button(
            label, title: "\(label) queue \(queue.name)", path: ["queues", queue.name, verb], of: queue.name,
            asks: !isStopped, isEnabled: isEnabled, look: isStopped ? "strong" : "")
    }

    private func count(_ status: LedgerStatus) -> Int { queue.jobs[status.rawValue, default: 0] }

    private var summary: String {
        let left = DashboardQueueTable.live(in: queue)
        guard left > 0 else { return "Nothing is left to do." }
        let what = "\(DashboardText.count(left, "job")) and \(DashboardText.bytes(queue.bytesLeft)) are left"
        if queue.isStopped == true { return "\(what); the queue is stopped." }
        if queue.consumers == 0 { return "\(what), and no worker serves the queue." }
        guard let seconds = queue.secondsLeft, seconds > 0 else { return "\(what); nothing goes on just now." }
        return "\(what): done in about \(DashboardText.duration(seconds)) at the present pace."
    }

    /// What waits at the broker in each lane, in the order in which workers prefer the lanes.
    private var lanes: HTML? {
        guard let depth = queue.depth else { return nil }
        let most = max(1, depth.values.max() ?? 0)
        let rows = Lane.allCases.map { lane -> HTML in
            let count = depth[lane.rawValue, default: 0]
            return """
                <li><p class="line"><span>\(lane.rawValue)</span><span class="figure">\(DashboardText.count(count))</span></p>\
                <meter min="0" max="\(most)" value="\(count)" aria-label="\(lane.rawValue)"></meter>\
                <p class="facts"><span>\(Self.meaning(of: lane))</span></p></li>
                """
        }
        return """
            <section class="card" aria-labelledby="heading-lanes"><div class="heading"><h2 id="heading-lanes">Lanes</h2>\
            <p class="note">messages that wait at the broker</p></div><ul class="rows">\(rows)</ul></section>
            """
    }

    private static func meaning(of lane: Lane) -> String {
        switch lane {
        case .urgent: "first, and running jobs make way for them"
        case .continued: "uploads that go on after a hand-over or a wait"
        case .normal: "new jobs"
        case .bulk: "new jobs that may wait"
        }
    }

    private var facts: HTML {
        let statuses = LedgerStatus.allCases.map { status -> (String, HTML?) in
            let number = count(status)
            guard number > 0 else { return ("", nil) }
            let query = DashboardJobFilter(["queue": queue.name, "status": status.rawValue]).query()
            return (
                "\(status.rawValue.prefix(1).uppercased())\(status.rawValue.dropFirst())",
                "<a href=\"/dashboard/jobs?\(query)\">\(DashboardText.count(number))</a>"
            )
        }
        let heldUp = queue.heldUp.map { holdUp -> (String, HTML?) in
            (
                "Held up at \(holdUp.destination)",
                "\(DashboardText.count(holdUp.jobs, "job")): \(name: holdUp.text ?? holdUp.reason)"
            )
        }
        let pairs =
            statuses + [
                ("Workers", queue.consumers.map { "\($0)" }),
                ("Oldest waiting", queue.oldestWaiting.map { DashboardText.age($0, now: at) }),
                ("Completed", "\(DashboardText.figure(queue.completedPerMinute)) a minute"),
                ("Failed", "\(DashboardText.figure(queue.failedPerMinute)) a minute"),
                ("Throughput", "\(DashboardText.rate(queue.bytesPerSecond))"),
            ] + heldUp
        return PageFrame.facts("The queue", pairs)
    }

    // MARK: Serial line

    private var serialLine: HTML {
        let jobs = line?.line ?? []
        let note = line.map {
            $0.waiting > jobs.count ? "the first \(jobs.count) of \(DashboardText.count($0.waiting)) that wait" : ""
        }
        return """
            <section class="card" aria-labelledby="heading-line"><div class="heading"><h2 id="heading-line">Serial line</h2>\
            <p class="note">\(note ?? "")</p></div>
            \(jobs.isEmpty ? DashboardPage.empty("No job waits for its turn: jobs of a serial line run one after the other.") : nil)
            <ol class="rows">\(jobs.map { row($0, count: line?.waiting ?? 0) })</ol></section>
            """
    }

    /// A job of the line. Its buttons move it, so a keyboard is enough; a job whose turn has come does not move.
    private func row(_ entry: API.LineEntry, count: Int) -> HTML {
        let job = entry.job
        func button(_ label: String, _ title: String, to place: Int) -> HTML? {
            guard place >= 0, place < count, place != entry.position else { return nil }
            return viewer.button(
                label, title: "\(title): \(job.target)", path: ["jobs", job.id, "move"], of: queue.name,
                fields: HTML.hidden("to", ["\(place)"]), isEnabled: isBrokerThere)
        }
        let position = entry.position
        let buttons = position.map { place -> [HTML] in
            [
                place > 1 ? button("First", "Move to the front", to: 0) : nil, button("Up", "Move up", to: place - 1),
                button("Down", "Move down", to: place + 1),
            ].compactMap(\.self)
        }
        let state: HTML =
            position == nil
            ? DashboardPage.badge(job.status, DashboardJobPage.look(of: job))
            : "<span class=\"note\">\((position ?? 0) + 1)</span>"
        return """
            <li id="line-\(job.id)" class="split"><div><p class="line">\(state)<a class="title" href="/dashboard/jobs/\(job.id)">\
            \(name: job.target)</a></p><p class="facts"><span>\(DashboardText.bytes(job.size))</span>\
            <span>enqueued \(DashboardText.time(job.enqueuedAt, now: at))</span></p></div><div class="verbs">\(buttons ?? [])</div></li>
            """
    }
}
