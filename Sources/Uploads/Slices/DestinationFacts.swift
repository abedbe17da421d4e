public import Foundation

/// What a slice has to know of its destination.
public struct DestinationFacts: Hashable, Sendable {
    /// What the destination's ``Circuit`` says to the slice.
    public enum Way: Hashable, Sendable {
        case free
        /// It is to find out whether the destination can do this again.
        case trial(DestinationAbility)
        /// The circuit is open; the error says why.
        case blocked(until: Date, UploadError)
    }

    /// The driver's word in ``UploadState/driver``.
    public var driver: String
    /// Whether an upload of the job can be interrupted between parts.
    public var canYield: Bool
    /// Parts in parallel of one job; nil is the worker's own default.
    public var parts: Int?
    public var way: Way
    /// What it says of jobs that say nothing of it themselves.
    public var retry: RetryPolicy?
    /// Seconds that a job waits for it before it is given up.
    public var patience: TimeInterval
    /// When this worker last wrote something there.
    public var servedAt: Date?
    /// Why the job's object cannot be read back, where that is known beforehand.
    public var readBackProblem: UploadError?

    public init(
        driver: String, canYield: Bool, parts: Int? = nil, way: Way = .free, retry: RetryPolicy? = nil,
        patience: TimeInterval = JobLifetime.patience, servedAt: Date? = nil, readBackProblem: UploadError? = nil
    ) {
        self.driver = driver
        self.canYield = canYield
        self.parts = parts
        self.way = way
        self.retry = retry
        self.patience = patience
        self.servedAt = servedAt
        self.readBackProblem = readBackProblem
    }
}
