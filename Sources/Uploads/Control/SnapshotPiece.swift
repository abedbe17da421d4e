public import Foundation

/// A part of a snapshot of the control log, small enough for any broker.
public struct SnapshotPiece: Hashable, Sendable {
    /// The most pieces of a snapshot: enough for 100 million jobs.
    public static let countMaximum = 100_000

    /// The most drained workers of a piece.
    public static let workersMaximum = ControlEntry.jobCountMaximum / ControlEntry.workerWeight

    /// The id with which the snapshot was begun, by ``ControlEntry/snapshotBegins(_:)``.
    public var snapshot: UUID
    /// From 1. Pieces may come in any order, and more than once.
    public var number: Int
    /// How many pieces the snapshot has.
    public var count: Int
    public var fences: [JobID: Int] = [:]
    public var pauses: [JobID: Int] = [:]
    public var stoppedQueues: Set<QueueName> = []
    /// In the order in which they were drained, which goes on in the piece with the next number.
    public var drainedWorkers: [String] = []
    /// Which ledger the namespace had; in one piece of a snapshot at least.
    public var ledger: LedgerClaim?

    public init(of snapshot: UUID, number: Int, count: Int) {
        self.snapshot = snapshot
        self.number = number
        self.count = count
    }
}
