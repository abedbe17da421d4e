import Uploads

/// The verbs for all jobs of a list at once.
extension DashboardJobVerb {
    /// The statuses in which a job can obey.
    var statuses: Set<LedgerStatus> {
        switch self {
        case .resume, .pause, .cancel: Set(LedgerStatus.allCases.filter { !$0.isEnd })
        case .runNow: [.queued, .waiting, .paused]
        case .runAgain: Set(LedgerStatus.allCases.filter(\.isEnd))
        case .discard: [.failed]
        }
    }

    /// Whether it is about jobs that have ended.
    var concernsEnded: Bool { self == .runAgain || self == .discard }

    /// The verb that takes it back for the same jobs, where there is one. After jobs were resumed, no filter tells them from jobs that
    /// were never paused.
    var undo: DashboardJobVerb? {
        switch self {
        case .pause: .resume
        case .resume, .runNow, .runAgain, .discard, .cancel: nil
        }
    }

    /// With the number of jobs: `Pause 3 jobs`.
    func label(_ jobs: String) -> String {
        switch self {
        case .resume: "Resume \(jobs)"
        case .runNow: "Run \(jobs) now"
        case .runAgain: "Run \(jobs) again"
        case .pause: "Pause \(jobs)"
        case .discard: "Discard \(jobs)"
        case .cancel: "Cancel \(jobs)"
        }
    }

    var consequence: String {
        switch self {
        case .resume: "Paused jobs go on."
        case .runNow: "They do not wait any longer, and go before others."
        case .runAgain: "Each begins a new round, with all its attempts."
        case .pause:
            "They are handed over at the next part boundary and wait, with what has arrived, until they are resumed."
        case .discard:
            "Their unfinished uploads and staged copies are removed. To run them again needs their sources anew. Nothing undoes that."
        case .cancel: "Their uploads are interrupted, and what has arrived is removed. Nothing undoes that."
        }
    }

    /// Whether it is offered for a list of jobs in these statuses; nil: any.
    func fits(_ statuses: Set<LedgerStatus>?) -> Bool {
        guard let statuses else { return self != .resume && self != .discard }
        return !statuses.isDisjoint(with: self.statuses) && (self != .resume || statuses.contains(.paused))
    }
}
