import Foundation
import Uploads
import UploadsAPI

/// The page of one job: why it does not run, what an operator may do with it, what it is and what happened to it.
struct DashboardJobPage: Sendable {
    let story: API.JobStory
    let viewer: DashboardViewer
    let at: Date

    /// The most entries of the history that are shown.
    private static let historyMaximum = 100

    private var job: API.Job { story.job }
    private var path: String { "/dashboard/jobs/\(job.id)" }

    func document(notice: DashboardNotice?) -> HTML {
        PageFrame.page(
            job.target, at: .jobs, for: viewer, updates: .fetched(path), notice: notice,
            """
            \(head)
            <div class="columns"><div class="column">\(history)</div><div class="column">\(facts)\(commands)</div></div>
            """)
    }

    /// The look of the badge of a job's status.
    static func look(of job: API.Job) -> String {
        ["failed": "bad", "running": "live", "completed": "good"][job.status] ?? "warn"
    }

    private var head: HTML {
        let progress: HTML? = job.progress.map { progress in
            let share = job.size > 0 ? Double(progress.bytesDone) / Double(job.size) : 1
            let permille = min(1000, max(0, Int(saturating: share * 1000)))
            let left: HTML? = progress.secondsLeft.map { "<span>\(DashboardText.duration($0)) left</span>" }
            return """
                <progress max="1000" value="\(permille)" aria-label="Sent">\(permille / 10)%</progress>
                <p class="facts"><span>\(DashboardText.bytes(progress.bytesDone)) of \(DashboardText.bytes(job.size))</span>\
                <span>\(DashboardText.rate(progress.bytesPerSecond))</span>\(left)</p>
                """
        }
        return """
            <section class="card job" aria-labelledby="heading-job">
            <div class="heading"><h2 id="heading-job" class="title">\(name: job.target)</h2>\(DashboardPage.badge(job.status, Self.look(of: job)))</div>
            <p class="why">\(story.explanation.text.prefix(1).uppercased())\(String(story.explanation.text.dropFirst())).</p>
            \(progress)<div class="verbs">\(buttons)</div>
            </section>
            """
    }

    private var buttons: [HTML] {
        guard viewer.mayOperate(job.queue) else { return [] }
        return DashboardJobVerb.allCases.filter { $0.fits(job) }.map { $0.button(for: job) }
    }

    private var history: HTML {
        let moments = story.moments { WireJSON.timestamp($0) }
        let shown = moments.suffix(Self.historyMaximum)
        let note = shown.count < moments.count ? "the last \(shown.count) of \(moments.count), " : ""
        let rows = shown.map { moment -> HTML in
            """
            <li><span class="when">\(DashboardText.time(moment.at, now: at))</span> <span>\(name: moment.text)</span></li>
            """
        }
        return """
            <section class="card" aria-labelledby="heading-history"><div class="heading"><h2 id="heading-history">History</h2>\
            <p class="note">\(note)the oldest first</p></div><ol class="rows history">\(rows)</ol></section>
            """
    }

    private var facts: HTML {
        let line = story.line.flatMap { place in place.position.map { $0 == 0 ? "next" : "\($0) before it" } }
        let pairs: [(String, HTML?)] = [
            ("From", "\(name: job.source)"), ("To", "\(name: job.target)"),
            ("Size", "\(DashboardText.bytes(job.size)) (\(DashboardText.count(Int(job.size))) bytes)"),
            ("Type", "\(job.contentType)"), ("Queue", "\(name: job.queue), \(job.priority)"),
            ("Worker", worker), ("Parts", parts), ("In line", line.map { "\($0)" }),
            ("Batch", job.batch.map { "\(name: $0)" }),
            ("Idempotency key", job.idempotencyKey.map { "\(name: $0)" }),
            ("Enqueued", DashboardText.time(job.enqueuedAt, now: at)),
            ("Not before", job.notBefore.map { DashboardText.time($0, now: at) }),
            ("Expires", job.expiresAt.map { DashboardText.time($0, now: at) }),
            ("Failed attempts", "\(job.attempts)\(job.attemptsMaximum.map { " of \($0)" } ?? "")"),
            ("Round", job.round > 1 ? "\(job.round)" : nil),
            ("Sent so far", job.bytesSent > 0 ? "\(DashboardText.bytes(job.bytesSent))" : nil),
            ("SHA-256", job.sha256.map { "<code>\($0)</code>" }),
            ("CRC-64/NVME", job.crc64nvme.map { "<code>\($0)</code>" }),
        ]
        let metadata = job.metadata.sorted { $0.key < $1.key }.map { ($0.key, "\(name: $0.value)" as HTML?) }
        return PageFrame.facts("The job", pairs + metadata)
    }

    private var worker: HTML? {
        story.worker.map { "<a href=\"\(DashboardWorkerPage.path($0))\">\(name: $0)</a>" }
    }

    /// How many parts of the running upload are at the destination, or nearly; nil where the worker does not say.
    private var parts: HTML? {
        guard let progress = job.progress, let partBytes = progress.partBytes, partBytes > 0 else { return nil }
        let size = max(0, job.size)
        let count = max(1, size / partBytes + (size % partBytes == 0 ? 0 : 1))
        let done = progress.bytesDone >= size ? count : max(0, progress.bytesDone) / partBytes
        return """
            \(DashboardText.count(Int(done))) of \(DashboardText.count(Int(count))), \
            \(DashboardText.bytes(min(partBytes, max(size, 1)))) each
            """
    }

    private var commands: HTML {
        let lines =
            ["uploadctl job \(job.id)"] + DashboardJobVerb.allCases.filter { $0.fits(job) }.map { $0.command(for: job) }
        return PageFrame.commands(lines)
    }
}
