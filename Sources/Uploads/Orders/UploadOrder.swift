public import Foundation

/// An operator's order on its way to the notifier. It is a message and not a call, so that it holds also while no
/// notifier and no worker is up. JSON `upload.order.v1`.
///
/// The notifier reads it in the order of its queue: a job that was submitted before is known by then. An order that comes
/// again under the same id changes nothing. The one exception is a question (`verb.isQuestion`), which changes nothing and is not kept.
public struct UploadOrder: Hashable, Sendable, Identifiable {
    /// The most jobs that one order may name; a filter may match more.
    public static let jobsMaximum = 1000
    /// The most queues that one order may name.
    public static let queuesMaximum = 100
    /// The most workers that one order may name.
    public static let workersMaximum = 100
    /// Seconds: a younger upload may have been begun and not reported yet. 1 hour.
    public static let sweepAfterMinimum: TimeInterval = 3600
    /// Seconds that a question may wait for a notifier: the program that asked waits no longer. 1 minute.
    public static let questionPatience: TimeInterval = 60
    /// The most Unicode scalars of ``by`` that are kept.
    public static let byCountMaximum = 200

    /// What the notifier is to do, and with which jobs or places.
    public enum Command: Hashable, Sendable {
        /// 1 to ``UploadOrder/jobsMaximum`` jobs by their ids.
        case jobs(Verb, [JobID])
        /// All jobs that match when the order is read. If they are more than `atMost`, nothing happens.
        case matching(Verb, OrderFilter, atMost: Int?)
        /// Moves jobs that wait in serial lines to a place in their line: the first named job of each line goes there,
        /// the others behind it in the order in which they are named. 1 to ``UploadOrder/jobsMaximum`` jobs.
        case move([JobID], LineTarget)
        /// Workers take no more from these transfer queues; a running slice hands over at its next part boundary.
        case stopQueues([QueueName])
        case startQueues([QueueName])
        /// These workers take no more jobs of any queue until they are resumed, and stay up; a running slice hands over at
        /// its next part boundary. 1 to ``UploadOrder/workersMaximum`` names, as in ``WorkerReport/worker``.
        case drainWorkers([String])
        case resumeWorkers([String])
        /// Removes unfinished uploads that no job will resume from a destination, or only lists them. Done once for
        /// each time that the order is read.
        /// - Parameter olderThan: seconds, ``UploadOrder/sweepAfterMinimum`` or more; nil goes by the notifier's configuration.
        case sweepDestination(DestinationName, olderThan: TimeInterval?, dryRun: Bool)
        /// Removes files that no job needs from the notifier's staging area, or only lists them.
        case sweepStaging(dryRun: Bool)
        /// Asks for the state of 1 to ``UploadOrder/jobsMaximum`` jobs by their ids: the answer has a ``JobReport`` for
        /// each that the ledger knows. Changes nothing, and is neither recorded nor kept for a notifier that is away.
        case ask([JobID])
    }

    public let id: UUID
    public var command: Command
    /// Who gave the order: `jo@host`, unverified; through the API the name of the caller's token and its address.
    public var by: String
    public var at: Date
    /// Set: this is one shard's part of another order. Not on the wire: shards divide an order when they read it.
    public internal(set) var part: OrderPart?

    public init(_ command: Command, by: String, at: Date = Date(), id: UUID = UUID()) {
        self.id = id
        self.command = command
        self.by = by.codePointPrefix(Self.byCountMaximum)
        self.at = at
    }
}
