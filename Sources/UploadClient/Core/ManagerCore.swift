import Foundation
package import Logging
import Synchronization
package import UploadSources
package import Uploads

/// What every manager does, whatever carries the uploads: stages, remembers, follows, tells.
package actor ManagerCore {
    /// Between two looks for outcomes that other programs have noted.
    private static let interval = Duration.seconds(1)

    package nonisolated let identifier: UploadIdentifier
    nonisolated let area: StagingArea
    nonisolated let store: ClientStore
    nonisolated let backend: any UploadBackend
    nonisolated let logger: Logger
    nonisolated let lock: ProgramLock
    /// Of the uploads that this program follows and whose end it has not seen.
    var followed: [JobID: UploadProgress] = [:]
    /// Outcomes that somebody in this program has taken, by ``UploadOutcome/id``.
    nonisolated let taken = Mutex<Set<String>>([])
    var delegate: (any UploadDelegate)?
    var telling: Task<Int, Never>?
    var isToTellAgain = false
    /// Outcomes that the delegate refused, until when they rest.
    var resting: [String: ContinuousClock.Instant] = [:]
    private var tasks: [Task<Void, Never>] = []
    private(set) var isClosed = false

    package init(
        identifier: UploadIdentifier, area: StagingArea, backend: any UploadBackend, logger: Logger
    ) async throws(UploadError) {
        self.identifier = identifier
        self.area = area
        self.backend = backend
        self.logger = logger
        let store = try await ClientStore.open(identifier, in: area)
        self.store = store
        lock = try await store.lock()
        try? await store.prune(now: Date())
    }

    /// Begins to follow. Called once.
    package func begin() {
        let sink: @Sendable (UploadEvent) async -> Bool = { [weak self] event in await self?.take(event) ?? false }
        tasks = [
            Task { [backend] in await backend.run(sink) },
            Task { [weak self] in
                while !Task.isCancelled {
                    try? await Task.sleep(for: Self.interval)
                    guard let self else { return }
                    await self.lookAtFollowed()
                    _ = await self.tell()
                }
            },
        ]
    }

    // MARK: Starting

    package func start(_ upload: Upload) async throws(UploadError) -> UploadHandle {
        try checkOpen()
        let preparation = Preparation(area: area, client: identifier, namespace: backend.namespace)
        let job = try await preparation.job(for: upload)
        if job.idempotencyKey != nil, let known = try await handle(for: job.id) { return known }
        // Noted first: an upload that ends at once is known by then.
        try await store.put(ClientUpload(job: job, startedBy: lock.token))
        let handle = follow(UploadUpdate(job), round: 1, afresh: true)
        do throws(UploadError) {
            try await backend.accept(job)
        } catch {
            unfollow(job.id)
            try? await store.remove(job.id)
            // What may have been taken all the same needs its copy.
            if job.idempotencyKey == nil, error.code != .networkFailure { try? await area.remove(job.source) }
            throw error
        }
        return handle
    }

    package func resume(with state: ResumableUpload) async throws(UploadError) -> UploadHandle {
        try checkOpen()
        let round = try await backend.resume(state)
        var upload = try await store.upload(state.id) ?? ClientUpload(job: state.job, startedBy: lock.token)
        upload.round = max(upload.round, round)
        upload.startedBy = lock.token
        try await store.put(upload)
        // Whoever follows the round that is under way goes on.
        let isOver = followed[state.id]?.latest.status.isEnd ?? true
        let handle = follow(UploadUpdate(state.job), round: upload.round, afresh: isOver)
        if let ended = try await store.outcome(of: state.id, from: upload.round) {
            // Faster than the note of it.
            try await store.remove(state.id)
            if let event = ended.end { show(event) }
        }
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
        var handles: [UploadHandle] = []
        for upload in saved.uploads {
            if var known = try await store.upload(upload.id) {
                if known.startedBy != lock.token {
                    known.startedBy = lock.token
                    try await store.put(known)
                }
            }
            if let taken = try await handle(for: upload.id) { handles.append(taken) }
        }
        return handles
    }

    package func order(_ verb: Verb, _ id: JobID) async throws(UploadError) {
        try checkOpen()
        try await backend.order(verb, id)
    }

    /// - Parameter afresh: whether what is known of an earlier round does not count.
    private func follow(_ update: UploadUpdate, round: Int, afresh: Bool) -> UploadHandle {
        if !afresh, let progress = followed[update.id] { return handle(of: progress) }
        let progress = UploadProgress(update, round: round) { [weak self] outcome in
            guard let self else { return }
            taken.withLock { _ = $0.insert(outcome) }
            Task { await self.tell() }
        }
        followed[update.id] = progress
        return handle(of: progress)
    }

    private func handle(of progress: UploadProgress) -> UploadHandle {
        UploadHandle(progress) { [backend] verb throws(UploadError) in try await backend.order(verb, progress.id) }
    }

    private func unfollow(_ id: JobID) { followed.removeValue(forKey: id)?.close() }

    private func checkOpen() throws(UploadError) {
        if isClosed { throw UploadError(.interrupted, "the upload manager '\(identifier)' is closed; open another") }
    }

    // MARK: Ending

    /// Idempotent. Handles end without an outcome.
    package func close() async {
        guard !isClosed else { return }
        // What was taken a moment ago is not to be told again by somebody else.
        delegate = nil
        _ = await tell()
        isClosed = true
        for task in tasks { task.cancel() }
        await backend.close()
        for task in tasks { await task.value }
        _ = await telling?.value
        for progress in followed.values { progress.close() }
        followed = [:]
        lock.release()
    }
}
