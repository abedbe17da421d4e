extension UploadOrder.Command {
    /// The verb as messages and logs write it.
    public var verb: String {
        switch self {
        case .jobs(let verb, _), .matching(let verb, _, _): verb.rawValue
        case .move: "move"
        case .stopQueues: "stopQueue"
        case .startQueues: "startQueue"
        case .drainWorkers: "drainWorker"
        case .resumeWorkers: "resumeWorker"
        case .sweepDestination: "sweepDestination"
        case .sweepStaging: "sweepStaging"
        case .ask: "ask"
        }
    }

    /// Whether the notifier carries it out beside its messages, because it takes as long as a destination's listing.
    public var isSweep: Bool {
        switch self {
        case .sweepDestination, .sweepStaging: true
        case .jobs, .matching, .move, .stopQueues, .startQueues, .drainWorkers, .resumeWorkers, .ask: false
        }
    }

    /// Whether it forgets jobs. The notifier carries it out beside its messages, because it may concern every job in
    /// the ledger.
    public var isForgetting: Bool {
        switch self {
        case .jobs(let verb, _), .matching(let verb, _, _): verb == .forget
        case .move, .stopQueues, .startQueues, .drainWorkers, .resumeWorkers, .sweepDestination, .sweepStaging, .ask:
            false
        }
    }

    /// Whether it changes nothing, so that it is not recorded.
    public var isQuestion: Bool { if case .ask = self { true } else { false } }
}
