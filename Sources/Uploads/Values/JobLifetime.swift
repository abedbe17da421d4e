public import Foundation

/// How long a job can be worked on at most, in seconds. How long fences, unknown staged copies and keys are kept is
/// derived from it.
public enum JobLifetime {
    /// 30 days from when the job was enqueued or due; in a later round, and for a job of a serial line, from when its
    /// first slice began.
    public static let seconds: TimeInterval = 30 * 86_400
    /// How long a job waits for something that it cannot do without, unless its destination says otherwise: 7 days.
    public static let patience: TimeInterval = 7 * 86_400
}
