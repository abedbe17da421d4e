import Uploads
import UploadsAPI

/// What an operator may do with a job on its page, and with all jobs of a list.
enum DashboardJobVerb: String, CaseIterable, Sendable {
    case resume
    case runNow = "run"
    case runAgain = "run-again"
    case pause
    case discard
    case cancel

    var order: Verb {
        switch self {
        case .resume: .resume
        case .runNow: .runNow
        case .runAgain: .runAgain
        case .pause: .pause
        case .discard: .discard
        case .cancel: .cancel
        }
    }

    private var label: String {
        switch self {
        case .resume: "Resume"
        case .runNow: "Run now"
        case .runAgain: "Run again"
        case .pause: "Pause"
        case .discard: "Discard"
        case .cancel: "Cancel"
        }
    }

    /// The notice after it was done.
    var done: String {
        switch self {
        case .resume: "The job goes on."
        case .runNow: "The job does not wait any longer."
        case .runAgain: "The job runs again."
        case .pause: "The job is paused."
        case .discard: "The job is being discarded."
        case .cancel: "The job is being cancelled."
        }
    }

    /// The question before what cannot be undone; nil for what can.
    var question: (title: String, text: String)? {
        switch self {
        case .resume, .runNow, .runAgain, .pause: nil
        case .discard:
            (
                "Discard this job?",
                "Its unfinished upload and its staged copy are removed. To run it again needs its source anew."
            )
        case .cancel:
            (
                "Cancel this job?",
                "Its upload is interrupted, and what has arrived is removed. No later order undoes that."
            )
        }
    }

    /// Whether the button is shown.
    func fits(_ job: API.Job) -> Bool {
        guard job.forgottenAt == nil else { return false }
        guard let status = LedgerStatus(rawValue: job.status) else { return false }
        return switch self {
        case .resume: !status.isEnd && job.isPaused
        case .pause: !status.isEnd && !job.isPaused && !job.isCancelling
        case .runNow: !status.isEnd && status != .running && !job.isCancelling
        case .cancel: !status.isEnd && !job.isCancelling
        case .runAgain: status.isEnd
        case .discard: status == .failed
        }
    }

    /// A form that works without a script. What cannot be undone leads to its question first.
    func button(for job: API.Job) -> HTML {
        let method = question == nil ? "post" : "get"
        let look: HTML? = [.resume, .runNow, .runAgain].contains(self) ? " class=\"strong\"" : nil
        return """
            <form method="\(method)" action="/dashboard/jobs/\(job.id)/\(rawValue)"><button\(look)>\(label)\
            \(question == nil ? "" : "…")</button></form>
            """
    }

    /// The same for a terminal.
    func command(for job: API.Job) -> String {
        switch self {
        case .runNow: "uploadctl run \(job.id)"
        case .runAgain: "uploadctl run --again \(job.id)"
        default: "uploadctl \(rawValue) \(job.id)"
        }
    }

    /// The page that asks.
    func page(for job: API.Job, _ question: (title: String, text: String)) -> HTML {
        PageFrame.question(
            question.title, "\(name: job.target): \(question.text)", action: "/dashboard/jobs/\(job.id)/\(rawValue)",
            label: label, back: "/dashboard/jobs/\(job.id)")
    }
}
