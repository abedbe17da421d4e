extension ControlEntry {
    /// The most jobs that one entry names, and most queues: some 50 KB, so that no broker refuses an entry for its
    /// size.
    public static let jobCountMaximum = 1000
    /// A worker's name takes as much room as the ids of so many jobs.
    static let workerWeight = 10

    /// The same entry, split into entries that name at most ``jobCountMaximum`` jobs each, to be appended in this
    /// order.
    public var parts: [ControlEntry] {
        guard nameCount > Self.jobCountMaximum else { return [self] }
        return switch self {
        case .fence(let generations): Self.split(generations).map { .fence($0) }
        case .pause(let generations): Self.split(generations).map { .pause($0) }
        case .forget(let generations): Self.split(generations).map { .forget($0) }
        case .lift(let jobs):
            stride(from: 0, to: jobs.count, by: Self.jobCountMaximum).map {
                .lift(Array(jobs[$0..<min($0 + Self.jobCountMaximum, jobs.count)]))
            }
        // Pieces are made small (``ControlView/snapshot(_:)``), the others name one thing.
        case .queueStopped, .queueStarted, .workerDrained, .workerResumed, .snapshotBegins, .snapshot, .ledger, .marker:
            [self]
        }
    }

    /// How many jobs and queues it names; a worker counts as ``workerWeight`` of them.
    var nameCount: Int {
        switch self {
        case .fence(let generations), .pause(let generations), .forget(let generations): generations.count
        case .lift(let jobs): jobs.count
        // Counted as one, so that the number of entries that a fold keeps is bounded.
        case .queueStopped, .queueStarted, .ledger: 1
        case .workerDrained, .workerResumed: Self.workerWeight
        case .snapshot(let piece):
            piece.fences.count + piece.pauses.count + piece.stoppedQueues.count
                + piece.drainedWorkers.count * Self.workerWeight
        case .snapshotBegins, .marker: 0
        }
    }

    private static func split(_ generations: [JobID: Int]) -> [[JobID: Int]] {
        var parts: [[JobID: Int]] = []
        var rest = generations.makeIterator()
        while true {
            var part: [JobID: Int] = [:]
            while part.count < jobCountMaximum, let (job, generation) = rest.next() { part[job] = generation }
            if part.isEmpty { return parts }
            parts.append(part)
        }
    }
}
