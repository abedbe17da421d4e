import Foundation
import LinuxFiles
import Logging
import Uploads

/// A durable queue in a directory, run by the one process that holds its lock. It settles by ``SettlementPlan`` like
/// every queue; ``LocalJob`` decides the part that the broker and the notifier decide elsewhere. A change counts only
/// when it is on the disk.
actor LocalJobQueue: JobQueue {
    /// Time between two looks for files of other programs.
    static let interval = Duration.milliseconds(500)

    /// The values of a job that are needed without reading its file.
    private struct Entry: Sendable {
        var lane: Lane
        var dueAt: Date?
        var enqueuedAt: Date
        var isReady: Bool
        var isToBeNoted: Bool
        var keptUntil: Date?

        init(_ job: LocalJob) {
            lane = job.lane
            dueAt = job.dueAt
            enqueuedAt = job.baton.job.enqueuedAt
            // Leaves out the time, which comes by itself.
            isReady = job.isReady(at: .distantFuture)
            isToBeNoted = job.isToBeNoted
            keptUntil = job.keptUntil
        }
    }

    /// Receives the queue's events.
    struct Listener: Sendable {
        /// Gets events other than ends.
        var tell: @Sendable (UploadEvent) -> Void
        /// Records an end durably; false asks the queue to report it again.
        var note: @Sendable (UploadEvent) async -> Bool
        /// Called when the queue has taken up the jobs of its earlier runs.
        var isReady: @Sendable () -> Void = {}
    }

    /// Bytes beyond the first report that count as progress: more than the bytes that may be under way and lost.
    nonisolated let progressBytes: Int64
    private nonisolated let executor = FileExecutor()
    private nonisolated let listener: Listener
    private nonisolated let now: @Sendable () -> Date
    private nonisolated let bell: AsyncStream<Void>
    private nonisolated let ring: AsyncStream<Void>.Continuation
    private let files: LocalQueueFiles
    /// How many batons of a lane are issued and not settled, at most.
    private let window: Int
    /// Seconds.
    private let keepFailed: TimeInterval
    private let logger: Logger
    private var entries: [JobID: Entry] = [:]
    private var claims: [JobID: LocalClaim] = [:]
    /// Ends that the listener is recording now.
    private var noting: Set<JobID> = []
    /// Jobs whose files cannot be read.
    private var unreadable: Set<JobID> = []
    private var handler: (any JobHandler)?
    private var isToLook = true
    private var isDraining = false

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// - Parameters:
    ///   - files: locked by the caller for as long as the queue is consumed.
    ///   - configuration: only its concurrency, parts and ``EmbeddedConfiguration/keepFailed`` are used.
    init(
        _ files: LocalQueueFiles, configuration: EmbeddedConfiguration, listener: Listener, logger: Logger,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.files = files
        self.listener = listener
        self.logger = logger
        self.now = now
        window = max(4, configuration.concurrency)
        keepFailed = Double(configuration.keepFailed.components.seconds)
        progressBytes = Int64(configuration.parts) * PartPlan.blockBytes
        (bell, ring) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    // MARK: JobQueue

    /// Called once.
    func consume(_ handler: any JobHandler) async throws(UploadError) {
        try recover()
        self.handler = handler
        await noteEnds()
        listener.isReady()
        ring.yield()
        let ticking = Task {
            while (try? await Task.sleep(for: Self.interval)) != nil { tick() }
        }
        defer { ticking.cancel() }
        await withDiscardingTaskGroup { group in
            for await _ in bell {
                if isDraining { break }
                if isToLook {
                    isToLook = false
                    takeIn()
                    group.addTask { await self.noteEnds() }
                }
                for claim in give() {
                    let work = handler.accept(claim)
                    group.addTask { await self.carry(claim, work) }
                }
            }
        }
        await noteEnds()
    }

    func drain() async {
        isDraining = true
        ring.yield()
    }

    // MARK: Calls of the backend and of claims

    /// Notes that a job was accepted: its file exists.
    func accepted(_ job: LocalJob) {
        // Until the queue is consumed, new files wait for `recover`.
        guard handler != nil, entries[job.id] == nil else { return }
        entries[job.id] = Entry(job)
        ring.yield()
    }

    /// Applies the orders that were given before this call.
    func obeyOrders() {
        guard handler != nil else { return }
        do throws(UploadError) {
            for name in try files.orderNames() {
                // An order that came too early is kept until its time has come.
                if let order = files.order(name), try !obey(order) { continue }
                try files.removeOrder(name)
            }
        } catch {
            logger.error("orders cannot be read", metadata: ["error": "\(error.message)"])
        }
        ring.yield()
    }

    /// Records all known ends: when this returns, each is recorded, or another call is recording it.
    func noteEnds() async {
        for id in entries.filter({ $0.value.isToBeNoted }).keys { await noteEnd(of: id) }
    }

    func started(_ claim: LocalClaim, _ state: UploadState?) throws(UploadError) {
        guard var job = try current(claim) else { return }
        let event = job.start(state: state, at: now())
        try put(job)
        if !job.isPaused { listener.tell(event) }
    }

    func progressed(_ claim: LocalClaim) {
        do throws(UploadError) {
            guard var job = try current(claim), !job.hasProgressed else { return }
            job.progress()
            try put(job)
        } catch {
            log("progress could not be recorded", claim.baton.job.id, error)
        }
    }

    nonisolated func tellProgress(
        of baton: Baton, _ bytesDone: Int64, _ bytesPerSecond: Double, _ partBytes: Int64?
    ) {
        var event = UploadEvent(kind: .progress, of: baton, at: now())
        event.data.bytesDone = bytesDone
        event.data.partBytes = partBytes
        event.data.bytesPerSecond = bytesPerSecond.isFinite ? bytesPerSecond : 0
        listener.tell(event)
    }

    // MARK: Taking in

    private func tick() {
        isToLook = true
        ring.yield()
    }

    /// Takes up the existing jobs. The lock guarantees that no other process works on them.
    private func recover() throws(UploadError) {
        for id in try files.ids() {
            guard var job = read(id) else { continue }
            if job.isClaimed {
                job.recover(at: now())
                try put(job)
                logger.notice(
                    "an upload was under way when its program ended, and is taken up again",
                    metadata: ["job": "\(id)", "generation": "\(job.baton.generation)"])
            } else {
                entries[id] = Entry(job)
            }
        }
    }

    /// Takes in the jobs and orders of other programs, and removes failed uploads whose time is over.
    private func takeIn() {
        do throws(UploadError) {
            for id in try files.ids() where entries[id] == nil && !unreadable.contains(id) {
                if let job = read(id) { entries[id] = Entry(job) }
            }
        } catch {
            logger.error("the directory of the uploads cannot be read", metadata: ["error": "\(error.message)"])
        }
        obeyOrders()
        let now = now()
        for (id, entry) in entries {
            guard let keptUntil = entry.keptUntil, keptUntil <= now, let job = read(id), job.keptUntil != nil else {
                continue
            }
            Task { await forget(job) }
        }
    }

    /// - Returns: false when the order cannot be applied yet.
    private func obey(_ order: LocalOrder) throws(UploadError) -> Bool {
        guard var job = read(order.job) else { return true }
        // The outcome must be recorded before another round can have one.
        if order.verb == .runAgain, job.isToBeNoted { return false }
        let claim = claims[job.id]
        let generation = job.baton.generation
        let event = job.obey(order, hasBegun: claim?.hasBegun ?? false, at: now())
        try put(job)
        if let claim {
            if job.baton.generation != generation {
                if !claim.supersede() { claims[job.id] = nil }
            } else {
                claim.set(isPaused: job.isPaused)
            }
        }
        if let event { listener.tell(event) }
        return true
    }

    // MARK: Issuing

    /// Claims the due jobs, the oldest of each lane first, as far as the windows of the lanes allow.
    private func give() -> [LocalClaim] {
        let now = now()
        var room = Dictionary(uniqueKeysWithValues: Lane.allCases.map { ($0, window) })
        for claim in claims.values { room[claim.lane, default: 0] -= 1 }
        guard room.values.contains(where: { $0 > 0 }) else { return [] }
        var due: [Lane: [JobID: Date]] = [:]
        for (id, entry) in entries
        where entry.isReady && (entry.dueAt ?? now) <= now && claims[id] == nil {
            due[entry.lane, default: [:]][id] = entry.enqueuedAt
        }
        var given: [LocalClaim] = []
        for lane in Lane.allCases {
            var waiting = due[lane, default: [:]]
            while room[lane, default: 0] > 0,
                let next = waiting.min(by: { ($0.value, $0.key) < ($1.value, $1.key) })?.key
            {
                waiting[next] = nil
                guard let claim = claim(next, at: now) else { continue }
                room[lane, default: 0] -= 1
                given.append(claim)
            }
        }
        return given
    }

    private func claim(_ id: JobID, at now: Date) -> LocalClaim? {
        guard var job = read(id), job.isReady(at: now) else { return nil }
        job.claim()
        do throws(UploadError) {
            try put(job)
        } catch {
            log("an upload cannot be begun", id, error)
            return nil
        }
        let claim = LocalClaim(job.baton, lane: job.lane, queue: self)
        claims[id] = claim
        return claim
    }

    // MARK: Settling

    private func carry(_ claim: LocalClaim, _ work: @Sendable () async -> SettledSlice) async {
        let slice = await work()
        let id = claim.baton.job.id
        while true {
            do throws(UploadError) {
                try settle(claim, slice)
                break
            } catch {
                log("a slice cannot be settled", id, error)
                // The process that runs the queue next issues the job anew.
                if isDraining { break }
                try? await Task.sleep(for: .seconds(1))
            }
        }
        if claims[id] === claim { claims[id] = nil }
        if entries[id]?.isToBeNoted == true { await noteEnd(of: id) }
        ring.yield()
    }

    private func settle(_ claim: LocalClaim, _ slice: SettledSlice) throws(UploadError) {
        guard var job = try current(claim) else { return }
        let event = job.settle(slice, from: claim.lane, at: now())
        try put(job)
        if job.end == nil, let event { listener.tell(event) }
    }

    /// Has the listener record an end, and only then removes the files that are not needed any more. A crash in between
    /// repeats the end, under the same id.
    private func noteEnd(of id: JobID) async {
        guard !noting.contains(id), let job = read(id), job.isToBeNoted, let end = job.end else { return }
        noting.insert(id)
        defer { noting.remove(id) }
        guard await listener.note(end) else { return }
        guard end.kind == .failed else { return await forget(job) }
        do throws(UploadError) {
            guard var job = try files.job(id), job.isToBeNoted else { return }
            job.keptUntil = now() + keepFailed
            try put(job)
        } catch {
            log("a failed upload cannot be put aside", id, error)
        }
    }

    /// Removes an upload and its bytes.
    private func forget(_ job: LocalJob) async {
        await handler?.removeStagedCopy(of: job.baton.job)
        do throws(UploadError) {
            try files.remove(job.id)
            entries[job.id] = nil
        } catch {
            log("an ended upload cannot be removed", job.id, error)
        }
    }

    // MARK: Files

    /// The job of a claim, if its generation still counts.
    private func current(_ claim: LocalClaim) throws(UploadError) -> LocalJob? {
        guard let job = try files.job(claim.baton.job.id), job.isClaimed,
            job.baton.round == claim.baton.round, job.baton.generation == claim.baton.generation
        else { return nil }
        return job
    }

    private func put(_ job: LocalJob) throws(UploadError) {
        try files.replace(job)
        entries[job.id] = Entry(job)
    }

    private func read(_ id: JobID) -> LocalJob? {
        do throws(UploadError) {
            return try files.job(id)
        } catch {
            unreadable.insert(id)
            log("an upload cannot be read, and is left where it is", id, error)
            return nil
        }
    }

    private func log(_ message: Logger.Message, _ id: JobID, _ error: UploadError) {
        logger.error(message, metadata: ["job": "\(id)", "error": "\(error.message)"])
    }
}
