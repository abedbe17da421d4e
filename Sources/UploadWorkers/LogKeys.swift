import Logging
import Uploads

/// Every key of this target's log metadata.
enum LogKeys {
    static let job = "job"
    static let queue = "queue"
    static let destination = "destination"
    static let attempt = "attempt"
    static let round = "round"
    static let generation = "generation"
    static let slice = "slice"
    static let settlement = "settlement"
    static let outcome = "outcome"
    static let reason = "reason"
    static let code = "code"
    static let error = "error"
    static let bytes = "bytes"
    static let seconds = "seconds"
    static let held = "held"
    static let grace = "grace"
    static let until = "until"
    /// Seconds; negative: this host's clock is behind.
    static let ahead = "ahead"
}

extension Baton {
    /// The metadata of every log message about a slice.
    var logMetadata: Logger.Metadata {
        [
            LogKeys.job: "\(job.id)", LogKeys.queue: "\(job.queue)", LogKeys.destination: "\(job.destination.label)",
            LogKeys.attempt: "\(attempts + 1)", LogKeys.round: "\(round)", LogKeys.generation: "\(generation)",
            LogKeys.slice: "\(slice)",
        ]
    }
}
