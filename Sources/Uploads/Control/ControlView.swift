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

    public func fence(of job: JobID) -> Int { fences[job] ?? 1 }

    /// How a baton stands. Cancelling obeys no pause.
    public func standing(of baton: Baton) -> Standing {
        if baton.generation < fence(of: baton.job.id) { return .superseded }
        if !baton.isCancel, let paused = pauses[baton.job.id], baton.generation <= paused { return .paused }
        return .holds
    }
}
