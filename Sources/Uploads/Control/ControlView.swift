/// What the control log says so far: a pure fold over its entries.
public struct ControlView: Codable, Hashable, Sendable {
    /// Per job the lowest generation that counts; jobs without an entry count from 1.
    public private(set) var fences: [JobID: Int] = [:]
    /// Per job the highest generation that is paused.
    public private(set) var pauses: [JobID: Int] = [:]
    public private(set) var stoppedQueues: Set<QueueName> = []

    public init() {}

    public mutating func apply(_ entry: ControlEntry) {
        switch entry {
        case .fence(let generations): raiseFences(generations)
        case .pause(let generations): pauses.merge(generations, uniquingKeysWith: max)
        case .lift(let jobs): for job in jobs { pauses[job] = nil }
        case .forget(let generations): forget(generations)
        case .queueStopped(let queue): stoppedQueues.insert(queue)
        case .queueStarted(let queue): stoppedQueues.remove(queue)
        case .snapshot(let view):
            // Fences only rise, so one that was read before and is missing from a snapshot does no harm.
            raiseFences(view.fences)
            pauses = view.pauses
            stoppedQueues = view.stoppedQueues
        case .marker: break
        }
    }

    private mutating func raiseFences(_ generations: [JobID: Int]) {
        fences.merge(generations, uniquingKeysWith: max)
    }

    /// A later fence stays, whoever it was that forgot an earlier one.
    private mutating func forget(_ generations: [JobID: Int]) {
        for (job, generation) in generations {
            if let fence = fences[job], fence <= generation { fences[job] = nil }
            if let pause = pauses[job], pause <= generation { pauses[job] = nil }
        }
    }

    public func fence(of job: JobID) -> Int { fences[job] ?? 1 }

    /// How a baton stands. Cancelling obeys no pause and no stopped queue.
    public func standing(of baton: Baton) -> Standing {
        if baton.generation < fence(of: baton.job.id) { return .superseded }
        if !baton.isCancel, let paused = pauses[baton.job.id], baton.generation <= paused { return .paused }
        if !baton.isCancel, stoppedQueues.contains(baton.job.queue) { return .stopped }
        return .holds
    }
}
