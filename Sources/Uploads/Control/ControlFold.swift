import Foundation

/// Reads the control log: a pure fold over its entries, from the first one or from any other.
///
/// A snapshot is an entry that begins it, and pieces that say what the log had said up to there. Other entries may come
/// in between, and the pieces of another notifier's snapshot. When all pieces are read, pauses, stopped queues, drained
/// workers and the ledger are those of the snapshot, changed by the entries since it was begun: then nothing from before its beginning
/// is needed. A reader that has not read the beginning does not know these entries, so it takes the pieces for no
/// snapshot.
public struct ControlFold: Sendable {
    /// Snapshots that may be open at once. A notifier that dies leaves one that never becomes whole.
    public static let openCountMaximum = 4
    /// Jobs and queues that the entries since a snapshot's beginning may name, before it is given up.
    public static let namesSinceMaximum = 100_000

    /// A snapshot that was begun and is not whole.
    private struct OpenSnapshot {
        let id: UUID
        var count: Int?
        var numbers: Set<Int> = []
        var pauses: JobGenerations = [:]
        var stoppedQueues: Set<QueueName> = []
        /// By the numbers of their pieces, whose order is that of the drains.
        var drainedWorkers: [Int: [String]] = [:]
        var ledger: LedgerClaim?
        var since: [ControlEntry] = []
        var namesSince = 0
    }

    public private(set) var view = ControlView()
    /// In the order in which they were begun.
    private var open: [OpenSnapshot] = []

    public init() {}

    /// - Returns: whether a snapshot is whole with this entry, so that a reader needs nothing from before it was begun.
    public mutating func apply(_ entry: ControlEntry) -> Bool {
        view.apply(entry)
        switch entry {
        case .snapshotBegins(let id): begin(id)
        case .snapshot(let piece): return add(piece)
        case .pause, .lift, .forget, .queueStopped, .queueStarted, .workerDrained, .workerResumed, .ledger: note(entry)
        // Fences only rise: the view has them already.
        case .fence, .marker: break
        }
        return false
    }

    private mutating func begin(_ id: UUID) {
        // An entry may be there twice: a notifier repeats what was not confirmed.
        guard !open.contains(where: { $0.id == id }) else { return }
        open.append(OpenSnapshot(id: id))
        if open.count > Self.openCountMaximum { open.removeFirst() }
    }

    private mutating func note(_ entry: ControlEntry) {
        for index in open.indices.reversed() {
            open[index].since.append(entry)
            open[index].namesSince += entry.nameCount
            if open[index].namesSince > Self.namesSinceMaximum { open.remove(at: index) }
        }
    }

    private mutating func add(_ piece: SnapshotPiece) -> Bool {
        guard let index = open.firstIndex(where: { $0.id == piece.snapshot }) else { return false }
        guard open[index].count == nil || open[index].count == piece.count else {
            // No notifier writes such pieces: it is unknown which of them belong together.
            open.remove(at: index)
            return false
        }
        open[index].count = piece.count
        open[index].numbers.insert(piece.number)
        for (job, generation) in piece.pauses { open[index].pauses.raise(job, to: generation) }
        open[index].stoppedQueues.formUnion(piece.stoppedQueues)
        if !piece.drainedWorkers.isEmpty { open[index].drainedWorkers[piece.number] = piece.drainedWorkers }
        open[index].ledger = open[index].ledger ?? piece.ledger
        guard open[index].numbers.count == piece.count else { return false }
        let whole = open[index]
        // Snapshots that were begun before this one say nothing more.
        open.removeSubrange(...index)
        let drained = whole.drainedWorkers.sorted { $0.key < $1.key }.flatMap(\.value)
        view.replace(
            pauses: whole.pauses, stoppedQueues: whole.stoppedQueues, drainedWorkers: DrainedWorkers(drained),
            ledger: whole.ledger)
        for entry in whole.since { view.apply(entry) }
        return true
    }
}
