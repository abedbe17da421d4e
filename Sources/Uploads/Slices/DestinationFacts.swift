public import Foundation

/// The facts about a destination that a slice needs.
public struct DestinationFacts: Hashable, Sendable {
    /// Whether the destination's ``Circuit`` lets the slice through.
    public enum Way: Hashable, Sendable {
        case free
        /// The slice is a trial: it finds out whether the destination has regained this ability.
        case trial(DestinationAbility)
        /// The circuit is open; the error says why.
        case blocked(until: Date, UploadError)
    }

    /// The driver's name, as in ``UploadState/driver``.
    public var driver: String
    /// Whether an upload of the job can be interrupted between parts.
    public var canYield: Bool
    /// Parts in parallel of one job; nil is the worker's own default.
    public var parts: Int?
    public var way: Way
    /// Whether the circuit of the place that the source object is read from lets the slice read; `free` where that is the destination itself,
    /// and for other sources.
    public var sourceWay: Way
    /// The destination's retry policy, for jobs that carry none.
    public var retry: RetryPolicy?
    /// Seconds that a job waits for the destination before the job is given up.
    public var patience: TimeInterval
    /// When this worker last wrote something there.
    public var servedAt: Date?
    /// Why the job's object cannot be read back, where that is known beforehand.
    public var readBackProblem: UploadError?

    public init(
        driver: String, canYield: Bool, parts: Int? = nil, way: Way = .free, sourceWay: Way = .free,
        retry: RetryPolicy? = nil, patience: TimeInterval = JobLifetime.patience, servedAt: Date? = nil,
        readBackProblem: UploadError? = nil
    ) {
        self.driver = driver
        self.canYield = canYield
        self.parts = parts
        self.way = way
        self.sourceWay = sourceWay
        self.retry = retry
        self.patience = patience
        self.servedAt = servedAt
        self.readBackProblem = readBackProblem
    }
}
