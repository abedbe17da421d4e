import Foundation
import Uploads
import UploadsAPI

/// Transfer queues in a table: what runs, what waits and why, and how long it takes.
struct DashboardQueueTable: Sendable {
    let isBrokerThere: Bool
    let viewer: DashboardViewer
    let at: Date

    func html(of queues: [API.Queue]) -> HTML {
        """
        <table role="table"><thead role="rowgroup"><tr role="row"><th role="columnheader" scope="col">Queue</th>\
        <th role="columnheader" scope="col" class="number">Running</th>\
        <th role="columnheader" scope="col" class="number">Waiting</th>\
        <th role="columnheader" scope="col" class="number">Oldest</th>\
        <th role="columnheader" scope="col" class="number">Rate</th>\
        <th role="columnheader" scope="col" class="number">Time left</th>\
        <th role="columnheader" scope="col"><span class="hidden">Action</span></th></tr></thead>
        <tbody role="rowgroup">\(queues.map { row($0) })</tbody></table>
        """
    }

    private func row(_ queue: API.Queue) -> HTML {
        let name = queue.name
        let waiting = count(.queued, in: queue).addingSaturating(count(.waiting, in: queue))
        let paused = count(.paused, in: queue)
        let pausedNote: HTML? = paused > 0 ? "<small>\(DashboardText.count(paused)) paused</small>" : nil
        return """
            <tr role="row" id="queue-\(name)"><th role="rowheader" scope="row"><span class="line">\
            <a class="title" href="\(DashboardQueuePage.path(name))">\(name: name)</a>\(badge(of: queue))</span></th>
            \(DashboardPage.cell("Running", "\(DashboardText.count(count(.running, in: queue)))"))
            \(DashboardPage.cell("Waiting", "\(DashboardText.count(waiting))\(pausedNote)\(lanes(of: queue))\(heldUp(queue))"))
            \(DashboardPage.cell("Oldest", queue.oldestWaiting.map { DashboardText.age($0, now: at) } ?? DashboardPage.nothing))
            \(DashboardPage.cell("Rate", rate(of: queue)))
            \(DashboardPage.cell("Time left", timeLeft(of: queue)))
            <td role="cell" class="action">\(DashboardQueuePage.toggle(queue, viewer, isEnabled: isBrokerThere))</td></tr>
            """
    }

    /// Jobs that have not ended.
    static func live(in queue: API.Queue) -> Int {
        LedgerStatus.allCases.filter { !$0.isEnd }.map { queue.jobs[$0.rawValue, default: 0] }.sumSaturating()
    }

    private func count(_ status: LedgerStatus, in queue: API.Queue) -> Int { queue.jobs[status.rawValue, default: 0] }

    private func badge(of queue: API.Queue) -> HTML? {
        if queue.isStopped == true { return DashboardPage.badge("Stopped", "warn") }
        return queue.consumers == 0 && Self.live(in: queue) > 0 ? DashboardPage.badge("No worker", "bad") : nil
    }

    /// The messages that wait at the broker, lane by lane, without empty lanes.
    private func lanes(of queue: API.Queue) -> HTML? {
        guard let depth = queue.depth else { return nil }
        let lanes = Lane.allCases.filter { depth[$0.rawValue, default: 0] > 0 }
        guard !lanes.isEmpty else { return nil }
        // Lines break between lanes, not within one.
        let texts = lanes.map { "\(DashboardText.count(depth[$0.rawValue, default: 0]))\u{A0}\($0.rawValue)" }
        return "<small class=\"lanes\">\(texts.joined(separator: " · "))</small>"
    }

    /// The destinations that keep jobs waiting, and why.
    private func heldUp(_ queue: API.Queue) -> HTML? {
        guard !queue.heldUp.isEmpty else { return nil }
        let notes: [HTML] = queue.heldUp.map { holdUp in
            let words = ["limited": "queue up at", "resting": "asked to pause by"][holdUp.reason]
            let more = holdUp.jobs < API.HoldUp.jobsMaximum ? "" : "+"
            return """
                <small class="warn" title="\(holdUp.text ?? "")">\(DashboardText.count(holdUp.jobs))\(more) \(words ?? "waiting for") \
                \(name: holdUp.destination)</small>
                """
        }
        return "\(notes)"
    }

    private func rate(of queue: API.Queue) -> HTML {
        guard queue.completedPerMinute > 0 || queue.bytesPerSecond > 0 else { return DashboardPage.nothing }
        return """
            \(DashboardText.figure(queue.completedPerMinute))/min<small>\(DashboardText.rate(queue.bytesPerSecond))</small>
            """
    }

    private func timeLeft(of queue: API.Queue) -> HTML {
        guard queue.isStopped != true, let left = queue.secondsLeft, left > 0 else { return DashboardPage.nothing }
        return "\(DashboardText.duration(left))<small>\(DashboardText.bytes(queue.bytesLeft))</small>"
    }
}
