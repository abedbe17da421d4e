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

    /// What it concerns, in words. What an order to forget concerns has no name, which would outlive the jobs.
    public var subject: String {
        func text(_ ids: [JobID]) -> String { ids.count == 1 ? "job \(ids[0])" : "\(ids.count) jobs" }
        func text(_ queues: [QueueName]) -> String {
            (queues.count == 1 ? "queue " : "queues ") + queues.map(\.rawValue).joined(separator: ", ")
        }
        return switch self {
        case .jobs(_, let ids), .ask(let ids): text(ids)
        case .matching(let verb, let filter, _): filter.subject(for: verb)
        case .move(let ids, let target):
            switch target {
            case .index(let index): "\(text(ids)) to place \(index)"
            case .before(let other): "\(text(ids)) before job \(other)"
            case .after(let other): "\(text(ids)) behind job \(other)"
            }
        case .stopQueues(let queues), .startQueues(let queues): text(queues)
        case .drainWorkers(let names), .resumeWorkers(let names):
            (names.count == 1 ? "worker " : "workers ") + names.joined(separator: ", ")
        case .sweepDestination(let name, _, let dryRun): "destination \(name)" + (dryRun ? " (only listed)" : "")
        case .sweepStaging(let dryRun): "the staging area" + (dryRun ? " (only listed)" : "")
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
