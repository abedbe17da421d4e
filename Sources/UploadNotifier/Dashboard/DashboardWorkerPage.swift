import Foundation
import Uploads
import UploadsAPI

/// The page of one worker: where it runs, what it serves, and the jobs that it runs.
struct DashboardWorkerPage: Sendable {
    let worker: API.Worker
    /// The jobs of the worker's last report that the ledger knows, in the order of the report.
    let jobs: [(job: API.Job, since: Date)]
    let viewer: DashboardViewer
    let at: Date

    static func path(_ name: String) -> String {
        "/dashboard/workers/\(name.addingPercentEncoding(withAllowedCharacters: DashboardPage.pathCharacters) ?? "")"
    }

    static func badge(of worker: API.Worker) -> HTML? {
        switch WorkerReport.State(rawValue: worker.state) {
        case .draining: DashboardPage.badge("Draining", "warn")
        case .drained: DashboardPage.badge("Drained", "warn")
        default: nil
        }
    }

    func document(notice: DashboardNotice?) -> HTML {
        PageFrame.page(
            "Worker \(worker.name)", at: .workers, for: viewer, updates: .fetched(Self.path(worker.name)),
            notice: notice,
            """
            <section class="card job" aria-labelledby="heading-worker">
            <div class="heading"><h2 id="heading-worker" class="title">Worker \(name: worker.name)</h2>\(Self.badge(of: worker))</div>
            <p class="why">\(summary)</p>
            <div class="verbs">\(DashboardWorkerVerb(for: worker).button(worker, viewer))</div></section>
            <div class="columns"><div class="column">\(running)</div><div class="column">\(facts)\(commands)</div></div>
            """)
    }

    private var summary: String {
        let jobs = DashboardText.count(worker.slotsUsed, "job")
        return switch WorkerReport.State(rawValue: worker.state) {
        case .draining: "It hands \(jobs) over and takes no others."
        case .drained: "It holds no job and takes none until it is resumed: its host may be switched off."
        default: worker.slotsUsed > 0 ? "It runs \(jobs)." : "It waits for jobs."
        }
    }

    private var running: HTML {
        let note =
            worker.slotsUsed > jobs.count && !jobs.isEmpty
            ? "the \(DashboardText.count(jobs.count)) that began first, of \(DashboardText.count(worker.slotsUsed))"
            : jobs.isEmpty ? "" : "by its last report"
        return """
            <section class="card" aria-labelledby="heading-running"><div class="heading"><h2 id="heading-running">It runs</h2>\
            <p class="note">\(note)</p></div>
            \(jobs.isEmpty ? DashboardPage.empty("Its last report names no job.") : nil)\
            <ul class="rows">\(jobs.map { row($0.job, since: $0.since) })</ul></section>
            """
    }

    private func row(_ job: API.Job, since: Date) -> HTML {
        let done = job.progress.map { "\(DashboardText.bytes($0.bytesDone)) of " } ?? ""
        let rate: HTML? = job.progress.map { "<span>\(DashboardText.rate($0.bytesPerSecond))</span>" }
        let left: HTML? = job.progress?.secondsLeft.map { "<span>\(DashboardText.duration($0)) left</span>" }
        return """
            <li><p class="line"><a class="title" href="/dashboard/jobs/\(job.id)">\(name: job.target)</a></p>
            <p class="facts"><span>since \(DashboardText.time(since, now: at))</span><span>\(name: job.queue)</span>\
            <span>\(done)\(DashboardText.bytes(job.size))</span>\(rate)\(left)</p></li>
            """
    }

    private var facts: HTML {
        let pairs: [(String, HTML?)] = [
            (
                "Host",
                "<a href=\"\(DashboardPlace.workers.path)?\(DashboardText.query([("text", worker.host)]))\">\(name: worker.host)</a>"
            ),
            ("Version", "\(worker.version)"), ("Commit", worker.commit.map { "<code>\($0)</code>" }),
            ("Queues", "\(name: worker.queues.joined(separator: ", "))"),
            ("Slots", "\(DashboardText.count(worker.slotsUsed)) of \(DashboardText.count(worker.slots))"),
            ("Rate", worker.bytesPerSecond.map { "\(DashboardText.rate($0))" }),
            ("Started", DashboardText.time(worker.startedAt, now: at)),
            ("Heard", DashboardText.time(worker.heardAt, now: at)),
        ]
        return PageFrame.facts("The worker", pairs)
    }

    private var commands: HTML {
        let name = ShellWord.quoted(worker.name)
        return PageFrame.commands([
            "uploadctl workers", "uploadctl worker \(DashboardWorkerVerb(for: worker).rawValue) \(name)",
        ])
    }
}
