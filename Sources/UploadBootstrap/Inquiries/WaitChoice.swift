public import Uploads

/// The jobs that `uploadctl wait` waits for.
public struct WaitChoice: Sendable {
    public enum Jobs: Sendable {
        case named([JobID])
        case batch(String)
    }

    public let jobs: Jobs
    /// nil waits for as long as it takes.
    public let limit: Duration?

    /// - Throws: `usage` unless there are ids or a batch, and not both; and for a limit that is no duration.
    public init(ids: [String], batch: String?, timeout: String?) throws(ProgramError) {
        switch (ids.isEmpty, batch) {
        case (false, nil): jobs = .named(try JobSelection.jobs(ids))
        case (true, let batch?): jobs = .batch(batch)
        default: throw ProgramError(.usage, "name the jobs to wait for, or a --batch, and not both")
        }
        limit = try timeout.map { text throws(ProgramError) in
            guard let seconds = Quantity.seconds(text), seconds > 0, seconds <= 365 * 86_400 else {
                throw ProgramError(.usage, "--timeout \(text): expected a duration such as 30s, 10m, 2h or 1d")
            }
            return .seconds(seconds)
        }
    }
}
