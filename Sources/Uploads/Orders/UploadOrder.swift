public import Foundation

/// What an operator wants, as it travels to the notifier: a message and not a call, so that it holds also while no
/// notifier and no worker is up. JSON `upload.order.v1`.
///
/// The notifier reads it in the order of its queue: a job that was submitted before is known by then. An order that comes
/// again under the same id changes nothing. The one exception is a question (``isQuestion``), which changes nothing and is not kept.
public struct UploadOrder: Hashable, Sendable, Identifiable {
    /// Most jobs that one order may name; a filter may match more.
    public static let jobsMaximum = 1000
    /// Most queues that one order may name.
    public static let queuesMaximum = 100
    /// Seconds: what is younger may be an upload that was begun and not told yet. 1 hour.
    public static let sweepAfterMinimum: TimeInterval = 3600
    /// Seconds that a question may wait for a notifier: the program that asked waits no longer. 1 minute.
    public static let questionPatience: TimeInterval = 60
    /// Most characters of ``by`` that are kept.
    public static let byCountMaximum = 200

    /// What is to happen to what.
    public enum Command: Hashable, Sendable {
        /// 1 to ``UploadOrder/jobsMaximum`` jobs by their ids.
        case jobs(Verb, [JobID])
        /// All jobs that match when the order is read. More than `atMost` of them, and nothing happens.
        case matching(Verb, OrderFilter, atMost: Int?)
        /// Jobs that wait in serial lines go to a place in theirs: the first of a line's stands there, the others behind it
        /// in the order in which they are named. 1 to ``UploadOrder/jobsMaximum`` jobs.
        case move([JobID], LineTarget)
        /// Nobody takes from these transfer queues any more; what runs hands over at its next part boundary.
        case stopQueues([QueueName])
        case startQueues([QueueName])
        /// Unfinished uploads that nobody will go on with are removed from a destination, or only listed. Once for each time that the
        /// order is read.
        /// - Parameter olderThan: seconds, ``UploadOrder/sweepAfterMinimum`` or more; nil goes by the notifier's configuration.
        case sweepDestination(DestinationName, olderThan: TimeInterval?, dryRun: Bool)
        /// The same for the notifier's staging area.
        case sweepStaging(dryRun: Bool)
        /// How 1 to ``UploadOrder/jobsMaximum`` jobs stand, by their ids: the answer has a ``JobReport`` for each that the ledger knows.
        /// Changes nothing, and is neither recorded nor kept for a notifier that is away.
        case ask([JobID])
    }

    public let id: UUID
    public var command: Command
    /// Who gave it, for the log: `jo@host`. No proof of anything.
    public var by: String
    public var at: Date

    public init(_ command: Command, by: String, at: Date = Date(), id: UUID = UUID()) {
        self.id = id
        self.command = command
        self.by = String(by.prefix(Self.byCountMaximum))
        self.at = at
    }
}
