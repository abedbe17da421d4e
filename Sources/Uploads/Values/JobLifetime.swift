public import Foundation

/// How long a job can be worked on at most, in seconds. What outlives jobs (fences, unknown staged copies, keys) is derived from it.
public enum JobLifetime {
    /// From the enqueueing, or the time when it was due; of a later round, and of a job that waited in a serial line, from its beginning: 30
    /// days.
    public static let seconds: TimeInterval = 30 * 86_400
    /// That a job waits for what it cannot do without, unless its destination says otherwise: 7 days.
    public static let patience: TimeInterval = 7 * 86_400
}
