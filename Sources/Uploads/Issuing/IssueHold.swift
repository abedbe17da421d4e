public import Foundation

/// A note that the broker has lost a job's message, so that the notifier has to issue the job anew, but not at once.
///
/// The note holds until the next generation begins, so if a marker is lost, it is sent again at the next time
/// ``until``.
public struct IssueHold: Codable, Hashable, Sendable {
    public enum Cause: String, Codable, Sendable {
        /// The job's transfer queue does not exist.
        case noLane
        /// A policy on the broker dropped the message.
        case policy
        /// The broker gave the message up for another reason.
        case givenUp
    }

    public var cause: Cause
    /// The notifier does not issue the job before this time.
    public var until: Date

    public init(_ cause: Cause, until: Date) {
        self.cause = cause
        self.until = until
    }
}
