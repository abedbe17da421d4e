import Foundation
import Synchronization
import UploadWorkers
import Uploads

/// A queue in memory for the uploads of a producer to its staging area. It settles by ``LocalJob``, as the embedded manager's queue does;
/// what a later program needs to go on is in drafts.
actor StagingQueue: JobQueue {
    /// Time between two looks for uploads whose wait is over.
    private static let interval = Duration.milliseconds(250)

    /// An upload that has not ended.
    private struct Entry {
        var job: LocalJob
        let draft: StagingDraft?
        let caller: CheckedContinuation<Result<Void, UploadError>, Never>
        let report: (@Sendable (Int64) -> Void)?
        var claim: StagingClaim?
        var isCancelled = false
    }

    private let tellWaiting: @Sendable (UploadError) -> Void
    private let bell: AsyncStream<Void>
    private nonisolated let ring: AsyncStream<Void>.Continuation
    private var entries: [JobID: Entry] = [:]
    private var isDraining = false

    /// - Parameter tellWaiting: called when an upload waits, with the reason.
    init(tellWaiting: @escaping @Sendable (UploadError) -> Void) {
        self.tellWaiting = tellWaiting
        (bell, ring) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Carries a job to its end. When the task is cancelled, the upload stops where it is.
    /// - Parameters:
    ///   - state: the session that an earlier program began.
    ///   - draft: keeps the session for a later program.
    ///   - report: called with the bytes that were sent.
    /// - Throws: the error with which the job failed; `interrupted`.
    func carry(
        _ job: UploadJob, resuming state: UploadState?, draft: StagingDraft?,
        report: (@Sendable (Int64) -> Void)? = nil
    ) async throws(UploadError) {
        if isDraining { throw .stagingInterrupted }
        var local = LocalJob(job)
        if let state {
            // A later generation asks the destination first.
            local.baton.generation += 1
            local.baton.state = state.touched
        }
        let entry = local
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { caller in
                entries[job.id] = Entry(job: entry, draft: draft, caller: caller, report: report)
                if Task.isCancelled { cancel(job.id) }
                ring.yield()
            }
        } onCancel: {
            Task { await self.cancel(job.id) }
        }
        try result.get()
    }

    // MARK: JobQueue

    func consume(_ handler: any JobHandler) async throws(UploadError) {
        let ticking = Task { [ring] in
            while (try? await Task.sleep(for: Self.interval)) != nil { ring.yield() }
        }
        defer { ticking.cancel() }
        await withDiscardingTaskGroup { group in
            for await _ in bell {
                if isDraining { break }
                for claim in give(at: Date()) {
                    let work = handler.accept(claim)
                    group.addTask { await self.carry(claim, work) }
                }
            }
        }
        for id in entries.keys { end(id, .failure(.stagingInterrupted)) }
    }

    func drain() async {
        isDraining = true
        ring.yield()
    }

    /// All due uploads, the oldest first: the engine decides how many run at once.
    private func give(at now: Date) -> [StagingClaim] {
        let due = entries.values.filter { $0.claim == nil && $0.job.isReady(at: now) }
        return due.sorted { $0.job.id < $1.job.id }.map { entry in
            let job = entry.job
            let claim = StagingClaim(job.baton, lane: job.lane, queue: self, report: entry.report)
            entries[job.id]?.job.claim()
            entries[job.id]?.claim = claim
            return claim
        }
    }

    private func carry(_ claim: StagingClaim, _ work: @Sendable () async -> SettledSlice) async {
        let slice = await work()
        let id = claim.baton.job.id
        guard var entry = entries[id] else { return }
        entry.claim = nil
        let former = entry.job.baton.state
        _ = entry.job.settle(slice, from: claim.lane, at: Date())
        entries[id] = entry
        if entry.isCancelled { return end(id, .failure(.stagingInterrupted)) }
        switch slice.settlement {
        case .ended(.failed(let error, _)): return end(id, .failure(error))
        case .ended: return end(id, .success(()))
        case .wait(_, let reason, _):
            if let error = reason.error { tellWaiting(error) }
        case .handOver, .altered, .superseded, .abandoned: break
        }
        if entry.job.baton.state != former { await entry.draft?.keep(entry.job.baton) }
        ring.yield()
    }

    /// Notes the session that a slice has opened.
    func started(_ claim: StagingClaim, _ state: UploadState?) async {
        let id = claim.baton.job.id
        guard let state, entries[id]?.claim === claim else { return }
        let former = entries[id]?.job.baton.state
        _ = entries[id]?.job.start(state: state, at: Date())
        if state != former, let entry = entries[id] { await entry.draft?.keep(entry.job.baton) }
    }

    private func cancel(_ id: JobID) {
        guard let claim = entries[id]?.claim else { return end(id, .failure(.stagingInterrupted)) }
        entries[id]?.isCancelled = true
        claim.supersede()
    }

    private func end(_ id: JobID, _ result: Result<Void, UploadError>) {
        entries.removeValue(forKey: id)?.caller.resume(returning: result)
    }
}

/// A baton of a producer's upload while its slice works.
final class StagingClaim: ClaimedBaton {
    private struct State: Sendable {
        var isSuperseded = false
        var listener: (@Sendable (BatonValidity) -> Void)?
    }

    let baton: Baton
    let lane: Lane
    private let queue: StagingQueue
    private let report: (@Sendable (Int64) -> Void)?
    private let state = Mutex(State())

    init(_ baton: Baton, lane: Lane, queue: StagingQueue, report: (@Sendable (Int64) -> Void)?) {
        self.baton = baton
        self.lane = lane
        self.queue = queue
        self.report = report
    }

    /// Notes that the upload is cancelled.
    func supersede() {
        let listener = state.withLock { state in
            state.isSuperseded = true
            defer { state.listener = nil }
            return state.listener
        }
        listener?(.superseded)
    }

    func validity() async -> BatonValidity { state.withLock { $0.isSuperseded ? .superseded : .holds } }

    func onLoss(_ callback: @escaping @Sendable (BatonValidity) -> Void) -> @Sendable () -> Void {
        let isSuperseded = state.withLock { state in
            if !state.isSuperseded { state.listener = callback }
            return state.isSuperseded
        }
        if isSuperseded { callback(.superseded) }
        return { [weak self] in self?.state.withLock { $0.listener = nil } }
    }

    func started(state: UploadState?) async throws(UploadError) { await queue.started(self, state) }

    func progress(bytesDone: Int64, bytesPerSecond: Double, partBytes: Int64?) { report?(bytesDone) }
}

extension WaitReason {
    /// What a destination does that an upload waits for; nil of a wait that is no trouble.
    fileprivate var error: UploadError? {
        switch self {
        case .retry(let error), .limited(let error), .circuitOpen(let error), .notYet(let error), .resting(let error):
            error
        default: nil
        }
    }
}

extension UploadError {
    static let stagingInterrupted = UploadError(.interrupted, "staging was interrupted")
}
