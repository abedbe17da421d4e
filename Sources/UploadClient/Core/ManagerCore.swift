import Foundation
package import Logging
import Synchronization
package import UploadSources
package import Uploads

/// The part that is the same for all managers, independent of the backend that carries the uploads: it stages contents,
/// records uploads, follows them and delivers outcomes.
package actor ManagerCore {
    /// Time between two looks for outcomes that other programs have recorded, and for the remains of dead programs.
    private static let interval = Duration.seconds(1)
    /// Time between two looks whether an upload that another call is starting was accepted.
    private static let lookPause = Duration.milliseconds(20)
    /// How long closing waits for the delegate. Outcomes that it has not taken by then are delivered in the next run.
    package static let closingPatience = Duration.seconds(5)

    package nonisolated let identifier: UploadIdentifier
    /// The directory with the records, the outbox and the idempotency keys.
    nonisolated let area: StagingArea
    /// Where the copies go.
    nonisolated let copies: any CopyStore
    nonisolated let store: ClientStore
    nonisolated let backend: any UploadBackend
    nonisolated let logger: Logger
    nonisolated let lock: ProgramLock
    /// The uploads that this program follows and whose end it has not seen.
    var followed: [JobID: UploadProgress] = [:]
    nonisolated let given = Mutex(GivenOutcomes())
    nonisolated let closingPatience: Duration
    var delegate: (any UploadDelegate)?
    var delivering: Task<Int, Never>?
    var isToDeliverAgain = false
    /// Outcomes that the delegate refused, and the time until which they are not offered again.
    var resting: [String: ContinuousClock.Instant] = [:]
    /// Uploads that were under way when this program began to follow them, and whose state is to be asked for.
    var toAsk: [JobID] = []
    var asking: Task<Void, Never>?
    /// The number of the latest task that asks.
    var askingNumber = 0
    /// Uploads that this program is starting.
    private var beingStarted: Set<JobID> = []
    private var hearing: Task<Void, Never>?
    private var looking: Task<Void, Never>?
    private var askingAfterGaps: Task<Void, Never>?
    private var closing: Task<Void, Never>?
    private(set) var isClosed = false

    package init(
        identifier: UploadIdentifier, area: StagingArea, copies: (any CopyStore)? = nil,
        backend: any UploadBackend, logger: Logger,
        closingPatience: Duration = ManagerCore.closingPatience
    ) async throws(UploadError) {
        self.identifier = identifier
        self.area = area
        self.copies = copies ?? area
        self.backend = backend
        self.logger = logger
        self.closingPatience = closingPatience
        let store = try await ClientStore.open(identifier, in: area)
        self.store = store
        lock = try await store.lock()
        try? await store.prune(now: Date())
    }

    /// Cleans up after dead programs, and begins to follow uploads. Called once.
    package func begin() async {
        await reconcile()
        let sink: @Sendable (UploadEvent) async -> Bool = { [weak self] event in await self?.take(event) ?? false }
        hearing = Task { [backend] in await backend.run(sink) }
        askingAfterGaps = Task { [backend, weak self] in
            for await _ in backend.gaps { await self?.askForAll() }
        }
        looking = Task { [weak self] in
            while !Task.isCancelled {
                try? await Task.sleep(for: Self.interval)
                guard let self, !Task.isCancelled else { return }
                await self.reconcile()
                await self.lookAtFollowed()
                await self.deliverBeside()
            }
        }
    }

    // MARK: Starting

    package func start(_ upload: Upload) async throws(UploadError) -> UploadHandle {
        try checkOpen()
        let copy = JobID()
        // Noted before the copy is made: if this program dies now, the next one removes the remains.
        let noted = ProgramCopy(
            name: copy.rawValue, keyed: Preparation.keyedID(of: upload, namespace: backend.namespace))
        await lock.add(noted)
        do throws(UploadError) {
            let handle = try await start(upload, copy, noted)
            await lock.remove(noted)
            return handle
        } catch {
            await lock.remove(noted)
            throw error
        }
    }

    private func start(_ upload: Upload, _ copy: JobID, _ noted: ProgramCopy) async throws(UploadError) -> UploadHandle
    {
        let job = try await Preparation(
            copies: copies, area: area, client: identifier, namespace: backend.namespace, copy: copy
        ).job(for: upload)
        repeat {
            if job.idempotencyKey != nil, let known = try await acceptedHandle(for: job.id) { return known }
        } while !beingStarted.insert(job.id).inserted
        defer { beingStarted.remove(job.id) }
        // Recorded first, so that the upload is known even if it ends at once.
        try await store.begin(ClientUpload(job: job, startedBy: lock.token))
        await lock.remove(noted)
        return try await handOver(job)
    }

    private func handOver(_ job: UploadJob) async throws(UploadError) -> UploadHandle {
        // A caller that has listed the uploads since the record was written may follow this one already.
        let handle = follow(UploadUpdate(job), round: 1, afresh: false, isNew: true)
        do throws(UploadError) {
            try await backend.accept(job)
        } catch {
            unfollow(job.id)
            // The record goes first: a record without its copy would promise an upload that no worker can carry.
            _ = try? await store.withdraw(job.id)
            // The broker may have taken the job in spite of the error; then a worker needs the copy.
            if job.idempotencyKey == nil, error.code != .networkFailure { try? await copies.remove(job.source) }
            throw error
        }
        do throws(UploadError) {
            try await store.accepted(job.id)
        } catch {
            // The upload is accepted again when this program has ended, which does no harm.
            logger.warning(
                "an upload was accepted, but that could not be recorded",
                metadata: ["job": "\(job.id)", "error": "\(error.message)"])
        }
        return handle
    }

    /// The handle of a keyed upload that was started before; waits until it is known whether that upload was accepted.
    private func acceptedHandle(for id: JobID) async throws(UploadError) -> UploadHandle? {
        while true {
            if !beingStarted.contains(id) {
                if let starting = try await store.startingUpload(id), starting.startedBy != lock.token {
                    // Another program is starting it, or was when it died.
                    await reconcile()
                } else {
                    let handle = try await handle(for: id)
                    // Another call of this program may have begun to start it meanwhile.
                    if handle == nil || !beingStarted.contains(id) { return handle }
                }
            }
            try await Self.pause()
        }
    }

    private static func pause() async throws(UploadError) {
        do {
            try await Task.sleep(for: lookPause)
        } catch {
            throw UploadError(.interrupted, "starting the upload was interrupted")
        }
    }

    package func resume(with state: ResumableUpload) async throws(UploadError) -> UploadHandle {
        try checkOpen()
        let round = try await backend.resume(state)
        var upload = try await store.upload(state.id) ?? ClientUpload(job: state.job, startedBy: lock.token)
        upload.round = max(upload.round, round)
        upload.startedBy = lock.token
        try await store.put(upload)
        // Existing followers of the round that is under way keep following it.
        let isOver = followed[state.id]?.latest.status.isEnd ?? true
        let handle = follow(UploadUpdate(state.job), round: upload.round, afresh: isOver)
        if let ended = try await store.outcome(of: state.id, from: upload.round) {
            // The round ended before this program recorded that it began.
            try await store.remove(state.id)
            if let event = ended.end { show(event) }
        }
        askForNoted()
        return handle
    }

    // MARK: Following

    package func uploads() async throws(UploadError) -> [UploadUpdate] {
        try checkOpen()
        return try await store.uploads().map { upload in
            followed[upload.id]?.latest ?? UploadUpdate(upload.job)
        }
    }

    package func handle(for id: JobID) async throws(UploadError) -> UploadHandle? {
        defer { askForNoted() }
        return try await take(up: id)
    }

    /// Adds the upload to ``toAsk`` if its state has to be asked for.
    private func take(up id: JobID) async throws(UploadError) -> UploadHandle? {
        try checkOpen()
        if let upload = try await store.upload(id) {
            return follow(UploadUpdate(upload.job), round: upload.round, afresh: false)
        }
        guard let event = try await store.outcome(of: id)?.end else { return followed[id].map { handle(of: $0) } }
        let following = follow(UploadUpdate(event.job), round: event.data.baton.round, afresh: false)
        show(event)
        return following
    }

    package func save() async throws(UploadError) -> SavedUploads {
        try checkOpen()
        let uploads = try await store.uploads().map { upload in
            ResumableUpload(job: upload.job, round: upload.round, state: nil)
        }
        return SavedUploads(identifier: identifier, uploads: uploads)
    }

    package func restore(_ saved: SavedUploads) async throws(UploadError) -> [UploadHandle] {
        guard saved.identifier == identifier else {
            throw UploadError(
                .misconfigured,
                "these uploads were saved under the identifier '\(saved.identifier)', and this manager's is '\(identifier)'"
            )
        }
        defer { askForNoted() }
        var handles: [UploadHandle] = []
        for upload in saved.uploads {
            if var known = try await store.upload(upload.id) {
                if known.startedBy != lock.token {
                    known.startedBy = lock.token
                    try await store.put(known)
                }
            }
            if let taken = try await take(up: upload.id) { handles.append(taken) }
        }
        return handles
    }

    package func order(_ verb: Verb, _ id: JobID) async throws(UploadError) {
        try checkOpen()
        try await backend.order(verb, id)
    }

    /// - Parameters:
    ///   - afresh: whether the known state of an earlier round is discarded.
    ///   - isNew: whether the upload cannot have changed yet; otherwise it is added to ``toAsk``.
    private func follow(_ update: UploadUpdate, round: Int, afresh: Bool, isNew: Bool = false) -> UploadHandle {
        if !afresh, let progress = followed[update.id] { return handle(of: progress) }
        let progress = UploadProgress(update, round: round) { [weak self] outcome in
            guard let self else { return }
            let toCount = given.withLock { $0.add(outcome) }
            if !toCount.isEmpty { Task { await self.count(toCount) } }
        }
        followed[update.id] = progress
        if !isNew { toAsk.append(update.id) }
        return handle(of: progress)
    }

    private func handle(of progress: UploadProgress) -> UploadHandle {
        UploadHandle(progress) { [backend] verb throws(UploadError) in try await backend.order(verb, progress.id) }
    }

    private func unfollow(_ id: JobID) { followed.removeValue(forKey: id)?.close() }

    private func checkOpen() throws(UploadError) {
        guard closing == nil else {
            throw UploadError(.interrupted, "the upload manager '\(identifier)' is closed; open another")
        }
    }

    // MARK: Closing

    /// Delivers the pending outcomes, as far as the delegate takes them in time. Handles end without an outcome.
    /// Idempotent.
    package func close() async {
        let task = closing ?? Task { await self.shutDown() }
        closing = task
        await task.value
    }

    private func shutDown() async {
        looking?.cancel()
        askingAfterGaps?.cancel()
        asking?.cancel()
        hearing?.cancel()
        await backend.close()
        await copies.close()
        // Ends that come before this point are recorded, and delivered with the rest.
        await hearing?.value
        await deliverBeforeClosing()
        isClosed = true
        // A delegate that is still being called keeps its outcome claimed until it returns; closing does not wait for
        // it.
        delivering?.cancel()
        for progress in followed.values { progress.close() }
        followed = [:]
        lock.release()
    }
}
