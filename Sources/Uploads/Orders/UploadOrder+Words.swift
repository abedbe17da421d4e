extension UploadOrder.Command {
    /// The word on the wire, and in logs.
    public var verb: String {
        switch self {
        case .jobs(let verb, _), .matching(let verb, _, _): verb.rawValue
        case .move: "move"
        case .stopQueues: "stopQueue"
        case .startQueues: "startQueue"
        case .sweepDestination: "sweepDestination"
        case .sweepStaging: "sweepStaging"
        case .ask: "ask"
        }
    }

    /// Whether it is carried out beside the notifier's messages, for it takes as long as a destination's listing.
    public var isSweep: Bool {
        switch self {
        case .sweepDestination, .sweepStaging: true
        case .jobs, .matching, .move, .stopQueues, .startQueues, .ask: false
        }
    }

    /// Whether it forgets jobs: carried out beside the notifier's messages too, for it may be about every job there ever was.
    public var isForgetting: Bool {
        switch self {
        case .jobs(let verb, _), .matching(let verb, _, _): verb == .forget
        case .move, .stopQueues, .startQueues, .sweepDestination, .sweepStaging, .ask: false
        }
    }

    /// Whether it changes nothing, so that nothing of it is recorded.
    public var isQuestion: Bool { if case .ask = self { true } else { false } }
}
