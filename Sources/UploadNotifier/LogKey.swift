/// The keys of structured log lines.
enum LogKey {
    static let attempt = "attempt"
    static let backlog = "backlog"
    static let count = "count"
    static let delegate = "delegate"
    static let error = "error"
    static let event = "event"
    static let generation = "generation"
    static let job = "job"
    static let reason = "reason"
}
