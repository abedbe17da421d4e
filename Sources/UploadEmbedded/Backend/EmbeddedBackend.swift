import Foundation
import LinuxFiles
import Logging
import Synchronization
import UploadClient
import UploadSources
import UploadWorkers
import Uploads

/// Carries uploads in this process while it holds the directory's lock, and waits for the lock while another process
/// holds it.
final class EmbeddedBackend: UploadBackend {
    /// Time between two tries to take the lock.
    private static let interval = Duration.milliseconds(500)

    private struct State: Sendable {
        /// Set while this process runs the queue.
        var queue: LocalJobQueue?
        var post: EventPost?
        /// Ends the wait of the task that is to stop the worker.
        var stop: AsyncStream<Void>.Continuation?
        var isStopped = false
        /// Whether the backend has found out which process runs the queue.
        var hasLooked = false
        var awaiting: [CheckedContinuation<Void, Never>] = []
    }

    let namespace: String
    private let area: StagingArea
    private let files: LocalQueueFiles
    private let destinations: any DestinationProvider
    private let configuration: EmbeddedConfiguration
    private let logger: Logger
    private let state = Mutex(State())

    init(
        _ identifier: UploadIdentifier, area: StagingArea, files: LocalQueueFiles,
        destinations: any DestinationProvider, configuration: EmbeddedConfiguration, logger: Logger
    ) {
        namespace = "embedded.\(identifier)"
        self.area = area
        self.files = files
        self.destinations = destinations
        self.configuration = configuration
        self.logger = logger
    }

    /// The queue, if this process runs it. Another process that runs it finds new files at its next look.
    private var queue: LocalJobQueue? { state.withLock { $0.queue } }

    // MARK: UploadBackend

    func run(_ sink: @escaping @Sendable (UploadEvent) async -> Bool) async {
        await withTaskCancellationHandler {
            while !isStopped {
                do throws(UploadError) {
                    let lock = try await Blocking.run { [files] () throws(UploadError) in try files.tryLock() }
                    if let lock {
                        await work(sink)
                        lock.unlock()
                    }
                } catch {
                    logger.error("the uploads cannot be carried", metadata: ["error": "\(error.message)"])
                }
                looked()
                if !isStopped { try? await Task.sleep(for: Self.interval) }
            }
            looked()
        } onCancel: {
            stop()
        }
    }

    func accept(_ job: UploadJob) async throws(UploadError) {
        let job = LocalJob(job)
        // A job with this id that exists already is the same upload: ids are unique.
        guard try await onDisk({ files throws(UploadError) in try files.create(job) }) else { return }
        await queue?.accepted(job)
    }

    func holds(_ id: JobID) async throws(UploadError) -> Bool? {
        try await onDisk { files throws(UploadError) in try files.holds(id) }
    }

    func acceptAgain(_ job: UploadJob) async throws(UploadError) { try await accept(job) }

    func order(_ verb: Verb, _ id: JobID) async throws(UploadError) {
        if verb.beginsRound {
            throw UploadError(.rejected, "an ended upload is run again by resume(with:)")
        }
        try await onDisk { files throws(UploadError) in
            guard let job = try files.prospect(of: id, at: Date()) else {
                throw UploadError(.rejected, "no unfinished upload \(id) is known")
            }
            try job.check(verb)
            try files.add(LocalOrder(verb: verb, job: id))
        }
        await queue?.obeyOrders()
    }

    func resume(_ upload: ResumableUpload) async throws(UploadError) -> Int {
        let round = try await onDisk { files throws(UploadError) in
            guard let job = try files.prospect(of: upload.id, at: Date()) else {
                throw UploadError(
                    .rejected, "the upload \(upload.id) completed, or is no longer known: start it anew")
            }
            guard job.end != nil else { return job.baton.round }
            try job.check(.runAgain)
            let round = job.baton.round + 1
            try files.add(LocalOrder(verb: .runAgain, job: upload.id, round: round))
            return round
        }
        await queue?.obeyOrders()
        return round
    }

    func catchUp() async throws(UploadError) {
        await withCheckedContinuation { continuation in
            let isKnown = state.withLock { state in
                if !state.hasLooked { state.awaiting.append(continuation) }
                return state.hasLooked
            }
            if isKnown { continuation.resume() }
        }
        let (queue, post) = state.withLock { ($0.queue, $0.post) }
        await queue?.noteEnds()
        await post?.flush()
    }

    /// The task of ``run(_:)`` hands its uploads over; the caller has cancelled it and awaits it next.
    func close() async { stop() }

    // MARK: Working

    private var isStopped: Bool { state.withLock { $0.isStopped } }

    private func stop() {
        let stop = state.withLock { state in
            state.isStopped = true
            return state.stop
        }
        stop?.finish()
    }

    private func looked() {
        let awaiting = state.withLock { state in
            defer { state.awaiting = [] }
            state.hasLooked = true
            return state.awaiting
        }
        for continuation in awaiting { continuation.resume() }
    }

    /// Runs the queue until the backend is stopped, or the directory fails.
    private func work(_ sink: @escaping @Sendable (UploadEvent) async -> Bool) async {
        let post = EventPost(sink)
        let queue = LocalJobQueue(
            files, configuration: configuration,
            listener: LocalJobQueue.Listener(
                tell: { post.tell($0) }, note: { await post.note($0) }, isReady: { [weak self] in self?.looked() }),
            logger: logger)
        let worker = UploadWorker(
            queue: queue, destinations: destinations,
            sources: ObjectSources(beside: LocalSources(areas: [area], roots: []), at: destinations),
            configuration: configuration.worker, logger: logger, witnesses: .alone)
        let (stopping, stop) = AsyncStream<Void>.makeStream()
        let isStopped = state.withLock { state in
            state.queue = queue
            state.post = post
            state.stop = stop
            return state.isStopped
        }
        if isStopped { stop.finish() }
        // Detached tasks: cancelling the caller asks for a hand-over instead of ending them, and they must not inherit
        // the caller's service group.
        let delivering = Task.detached { await post.run() }
        let working = Task.detached { try await worker.run() }
        let draining = Task.detached {
            for await _ in stopping {}
            if !Task.isCancelled { await worker.drain() }
        }
        do {
            try await working.value
        } catch {
            logger.error(
                "the uploads cannot be carried",
                metadata: ["error": "\((error as? UploadError)?.message ?? String(describing: error))"])
        }
        draining.cancel()
        state.withLock { state in
            state.queue = nil
            state.post = nil
            state.stop = nil
        }
        post.finish()
        await delivering.value
    }

    private func onDisk<Value: Sendable>(
        _ body: @escaping @Sendable (LocalQueueFiles) throws(UploadError) -> Value
    ) async throws(UploadError) -> Value {
        try await Blocking.run { [files] () throws(UploadError) in try body(files) }
    }
}
