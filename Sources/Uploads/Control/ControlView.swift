/// The content of the control log so far. ``ControlFold`` makes it from the log's entries.
public struct ControlView: Hashable, Sendable {
    /// Per job the lowest generation that counts; jobs without an entry count from 1.
    public private(set) var fences: JobGenerations = [:]
    /// Per job the highest generation that is paused.
    public private(set) var pauses: JobGenerations = [:]
    public private(set) var stoppedQueues: Set<QueueName> = []
    public private(set) var drainedWorkers = DrainedWorkers()
    /// Which ledger the namespace has; nil: no notifier has claimed it yet.
    public private(set) var ledger: LedgerClaim?

    public init() {}

    /// Applies one entry. A piece of a snapshot only raises fences: the rest counts when the snapshot is whole, and
    /// ``ControlFold`` knows when that is.
    public mutating func apply(_ entry: ControlEntry) {
        switch entry {
        case .fence(let generations): raiseFences(generations)
        case .pause(let generations): for (job, generation) in generations { pauses.raise(job, to: generation) }
        case .lift(let jobs): for job in jobs { pauses[job] = nil }
        case .forget(let generations): forget(generations)
        case .queueStopped(let queue): stoppedQueues.insert(queue)
        case .queueStarted(let queue): stoppedQueues.remove(queue)
        case .workerDrained(let worker): drainedWorkers.drain(worker)
        case .workerResumed(let worker): drainedWorkers.resume(worker)
        // Fences only rise, so one that was read before and is missing from a snapshot does no harm.
        case .snapshot(let piece): raiseFences(piece.fences)
        case .ledger(let claim): if claim.holds(after: ledger) { ledger = claim }
        case .snapshotBegins, .marker: break
        }
    }

    /// Takes over what a whole snapshot says.
    mutating func replace(
        pauses: JobGenerations, stoppedQueues: Set<QueueName>, drainedWorkers: DrainedWorkers, ledger: LedgerClaim?
    ) {
        self.pauses = pauses
        self.stoppedQueues = stoppedQueues
        self.drainedWorkers = drainedWorkers
        self.ledger = ledger
    }

    /// Rule 1: lineage. The highest entry holds, in whatever order they come.
    private mutating func raiseFences(_ generations: [JobID: Int]) {
        for (job, generation) in generations { fences.raise(job, to: generation) }
    }

    /// A higher fence or pause than the forgotten one stays.
    private mutating func forget(_ generations: [JobID: Int]) {
        for (job, generation) in generations {
            fences.remove(job, upTo: generation)
            pauses.remove(job, upTo: generation)
        }
    }

    public func fence(of job: JobID) -> Int { fences[job] ?? 1 }

    /// Whether a fence or a pause names the job.
    public func names(_ job: JobID) -> Bool { fences[job] != nil || pauses[job] != nil }

    /// The jobs that a fence or a pause names, each with the highest generation that either of them names, in pages of at most
    /// ``ControlEntry/jobCountMaximum``. A job with a fence and a pause may be in two pages.
    public var pages: AnySequence<[JobID: Int]> {
        let (fences, pauses) = (fences, pauses)
        return AnySequence { () -> AnyIterator<[JobID: Int]> in
            let (fenced, paused) = (fences.makeIterator(), pauses.makeIterator())
            return AnyIterator {
                var page: [JobID: Int] = [:]
                while page.count < ControlEntry.jobCountMaximum, let (job, generation) = fenced.next() ?? paused.next()
                {
                    page[job] = max(generation, fences[job] ?? 0, pauses[job] ?? 0)
                }
                return page.isEmpty ? nil : page
            }
        }
    }

    /// Whether a baton counts, by this view.
    /// - Parameter worker: the name of the worker that holds it; nil where that makes no difference.
    public func validity(of baton: Baton, at worker: String? = nil) -> BatonValidity {
        // Rule 1: lineage. Below the fence a baton no longer counts.
        if baton.generation < fence(of: baton.job.id) { return .superseded }
        // Rule 5: verbs. Cancelling obeys no pause and no stopped queue, and is done with before its worker is drained.
        if !baton.isCancel, let paused = pauses[baton.job.id], baton.generation <= paused { return .paused }
        if !baton.isCancel, stoppedQueues.contains(baton.job.queue) { return .stopped }
        if !baton.isCancel, let worker, drainedWorkers.contains(worker) { return .stopped }
        return .holds
    }
}
