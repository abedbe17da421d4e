import Foundation
import Synchronization
public import Uploads

/// A job queue in memory that settles as the real one does, by ``SettlementPlan``.
public final class MemoryJobQueue: JobQueue {
    private struct State: Sendable {
        var ready: [(baton: Baton, lane: Lane)] = []
        var claims: [JobID: MemoryClaim] = [:]
        var isDraining = false
        var waiting: [Baton] = []
        var workerState = WorkerReport.State.running
    }

    /// The most deliveries that are not settled.
    public let prefetch: Int
    /// Whether a job that was handed over is delivered again at once.
    public let redelivers: Bool
    public let log: MemoryLog
    private let state = Mutex(State())
    private let bell: AsyncStream<Void>
    private let ring: AsyncStream<Void>.Continuation

    public init(prefetch: Int = 64, redelivers: Bool = true, log: MemoryLog) {
        self.prefetch = prefetch
        self.redelivers = redelivers
        self.log = log
        (bell, ring) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    public func add(_ baton: Baton, lane: Lane? = nil) {
        state.withLock { $0.ready.append((baton, lane ?? baton.job.priority)) }
        ring.yield()
    }

    /// The running delivery of a job.
    public func claim(of job: JobID) -> MemoryClaim? { state.withLock { $0.claims[job] } }

    /// The batons on the delay ladder, in order.
    public var waiting: [Baton] { state.withLock { $0.waiting } }

    /// Delivers the batons of the delay ladder again.
    public func endWaits() {
        state.withLock { state in
            for baton in state.waiting { state.ready.append((baton, .continued)) }
            state.waiting = []
        }
        ring.yield()
    }

    public var workerState: WorkerReport.State { state.withLock { $0.workerState } }

    /// Sets what the queue says that operators want of the worker.
    public func set(_ workerState: WorkerReport.State) { state.withLock { $0.workerState = workerState } }

    /// The batons that were not delivered yet.
    public var ready: [Baton] { state.withLock { $0.ready.map(\.baton) } }

    public func drain() async {
        state.withLock { $0.isDraining = true }
        ring.yield()
    }

    public func consume(_ handler: any JobHandler) async throws(UploadError) {
        await withDiscardingTaskGroup { group in
            var bell = bell.makeAsyncIterator()
            repeat {
                while let claim = next() {
                    let work = handler.accept(claim)
                    group.addTask { await self.carry(claim, handler, work) }
                }
            } while await bell.next() != nil && !state.withLock({ $0.isDraining })
        }
    }

    private func next() -> MemoryClaim? {
        state.withLock { state in
            guard !state.isDraining, !state.ready.isEmpty, state.claims.count < prefetch else { return nil }
            let (baton, lane) = state.ready.removeFirst()
            let claim = MemoryClaim(baton, lane: lane, validity: .holds, log: log)
            state.claims[baton.job.id] = claim
            return claim
        }
    }

    private func carry(
        _ claim: MemoryClaim, _ handler: any JobHandler, _ work: @Sendable () async -> SettledSlice
    ) async {
        let slice = await work()
        let plan = SettlementPlan(slice, of: claim.baton, now: Date())
        log.count { $0.settle(claim.baton, slice) }
        if plan.removesStagedCopy { await handler.removeStagedCopy(of: claim.baton.job) }
        state.withLock { state in
            state.claims[claim.baton.job.id] = nil
            guard let onward = plan.onward else { return }
            if onward.delay != nil {
                state.waiting.append(onward.baton)
            } else if redelivers, !state.isDraining {
                state.ready.append((onward.baton, onward.lane))
            }
        }
        ring.yield()
    }
}
