import Foundation
import Logging
public import Uploads

/// A serial queue of sessions over the broker, kept on disk. Workers transfer the sessions one after the other, in the
/// order of the list, also while the app does not run. The queue records each order of the app at once and hands it to
/// the broker when the broker is reachable; only ``settle(within:)`` and ``run(for:)`` wait for that.
///
/// The queue uses the broker's transfer queue of the same name for itself alone: workers must serve it, and no other
/// producer may use it.
public actor TransferQueue {
    /// The time before orders that the broker did not take are tried again.
    private static let pause = Duration.milliseconds(500)
    private static let lookPause = Duration.milliseconds(50)

    public nonisolated let name: QueueName
    nonisolated let manager: BrokerUploadManager
    nonisolated let store: QueueStore
    nonisolated let logger: Logger
    var list: SessionList
    /// The jobs that are followed here.
    var following: [JobID: Task<Void, Never>] = [:]
    /// Jobs that were ordered to pause so that their session gives its turn back.
    var pausedToGiveWay: Set<JobID> = []
    var listeners: [Int: AsyncStream<TransferQueueEvent>.Continuation] = [:]
    private var lastListener = 0
    private var delegateTask: Task<Void, Never>?
    private var working: Task<Void, Never>?
    private var isWorking = false
    private(set) var isClosed = false
    /// The latest save; the next one waits for it.
    private var saving: Task<Result<Void, UploadError>, Never>?
    private let wakeUps: AsyncStream<Void>.Continuation

    /// Opens the queue with all sessions that were enqueued under this name and the manager's identifier, in their
    /// order.
    /// - Throws: `rejected` while another program, or another object of this program, has the queue open.
    public init(_ name: QueueName, manager: BrokerUploadManager) async throws(UploadError) {
        self.name = name
        self.manager = manager
        logger = manager.core.logger
        let store = try await QueueStore.open(name, of: manager.identifier, in: manager.core.area)
        self.store = store
        do throws(UploadError) {
            list = try await store.load()
            await store.tidyUp(besides: list, logger)
        } catch {
            store.close()
            throw error
        }
        let (stream, wakeUps) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.wakeUps = wakeUps
        await begin(stream)
    }

    private func begin(_ wakeUps: AsyncStream<Void>) async {
        await followAgain()
        working = Task { [weak self] in
            for await _ in wakeUps { await self?.work() }
        }
        wake()
    }

    func wake() { wakeUps.yield() }

    private func work() async {
        guard !isClosed else { return }
        isWorking = true
        let isDone = await handToBroker()
        isWorking = false
        guard !isDone, !isClosed else { return }
        try? await Task.sleep(for: Self.pause)
        wake()
    }

    // MARK: The queue

    /// The listed sessions, in order; those that have ended stay until they are removed.
    public var sessions: [TransferSession] { list.sessions }
    /// The sessions that were saved and not enqueued yet.
    public var savedSessions: [TransferSession] { list.saved }
    /// Whether the queue was started, and not stopped since: kept on disk. A new queue is stopped.
    public var isStarted: Bool { list.isStarted }

    /// Lets the sessions run, in order, beginning with the session that had its turn when the queue was stopped.
    public func start() async throws(UploadError) {
        try await change { list throws(UploadError) in
            list.isStarted = true
            return []
        }
    }

    /// Stops all transfers. The running session stops at its present point, keeps its turn, and continues when the
    /// queue is started.
    public func stop() async throws(UploadError) {
        try await change { list throws(UploadError) in
            list.isStarted = false
            return []
        }
    }

    /// Starts the queue, stops it when the time is up or no session is left to transfer, and hands both orders to the
    /// broker: for programs that run for a limited time. The next ``start()`` or `run(for:)` continues.
    /// - Returns: the sessions that have not ended.
    /// - Throws: `networkFailure` when the broker does not take the stop: the jobs that it has go on.
    public func run(for duration: Duration) async throws(UploadError) -> [TransferSession] {
        try await start()
        let end = ContinuousClock.now + duration
        while ContinuousClock.now < end, list.first != nil, !isClosed, !Task.isCancelled {
            try? await Task.sleep(for: min(Self.lookPause, ContinuousClock.now.duration(to: end)))
        }
        try await stop()
        // A cancelled caller has no more time, but the queue has to stop all the same.
        let settling = Task { () -> Result<Void, UploadError> in
            do throws(UploadError) { return .success(try await self.settle()) } catch { return .failure(error) }
        }
        try await settling.value.get()
        return list.sessions.filter { !$0.state.isEnd }
    }

    /// Returns when all orders have been handed to the broker.
    /// - Parameter patience: the longest time to wait.
    /// - Throws: `networkFailure` when that takes longer; the queue keeps trying. `interrupted` for a queue that was
    ///   closed.
    public func settle(within patience: Duration = .seconds(60)) async throws(UploadError) {
        let end = ContinuousClock.now + patience
        while list.isPending || isWorking {
            if isClosed || Task.isCancelled {
                throw UploadError(.interrupted, "the transfer queue '\(name)' is closed")
            }
            guard ContinuousClock.now < end else {
                throw UploadError(
                    .networkFailure,
                    "the broker has not taken all orders of the transfer queue '\(name)' within \(patience); they are kept"
                )
            }
            try? await Task.sleep(for: Self.lookPause)
        }
    }

    // MARK: Events

    /// All events from now on, in order. Each call returns a stream of its own; no event is left out.
    public var events: AsyncStream<TransferQueueEvent> { follow().events }

    /// The present list, and all events from now on: for a table view.
    public func follow() -> (sessions: [TransferSession], events: AsyncStream<TransferQueueEvent>) {
        let (stream, listener) = AsyncStream.makeStream(of: TransferQueueEvent.self)
        guard !isClosed else {
            listener.finish()
            return (list.sessions, stream)
        }
        lastListener += 1
        let number = lastListener
        listeners[number] = listener
        listener.onTermination = { [weak self] _ in
            Task { await self?.forget(number) }
        }
        return (list.sessions, stream)
    }

    /// Sets the delegate that gets all events from now on; nil removes it.
    public func setDelegate(_ delegate: (any TransferQueueDelegate)?) {
        delegateTask?.cancel()
        guard let delegate else { return delegateTask = nil }
        let events = follow().events
        delegateTask = Task { [weak self] in
            for await event in events {
                guard let self else { return }
                await event.tell(delegate, of: self)
            }
        }
    }

    private func forget(_ number: Int) { listeners[number] = nil }

    // MARK: Changes

    /// Changes the list durably, reports the events, and hands the changes to the broker.
    @discardableResult
    func perform<Value>(
        _ body: (inout SessionList) throws(UploadError) -> (events: [TransferQueueEvent], value: Value)
    ) async throws(UploadError) -> Value {
        guard !isClosed else {
            throw UploadError(.interrupted, "the transfer queue '\(name)' is closed; open another")
        }
        let (events, value) = try body(&list)
        tell(events)
        wake()
        try await save()
        return value
    }

    /// The same, for changes without a result.
    func change(
        _ body: (inout SessionList) throws(UploadError) -> [TransferQueueEvent]
    ) async throws(UploadError) {
        try await perform { list throws(UploadError) in (try body(&list), ()) }
    }

    func tell(_ events: [TransferQueueEvent]) {
        for event in events { for listener in listeners.values { listener.yield(event) } }
    }

    func save() async throws(UploadError) {
        let earlier = saving
        let list = list
        let task = Task { [store] () -> Result<Void, UploadError> in
            _ = await earlier?.value
            do throws(UploadError) { return .success(try await store.save(list)) } catch { return .failure(error) }
        }
        saving = task
        try await task.value.get()
    }

    /// Closes the queue, which goes on at the broker. Idempotent; call it before the manager is closed.
    public func close() async {
        guard !isClosed else { return }
        isClosed = true
        wakeUps.finish()
        working?.cancel()
        await working?.value
        for task in following.values { task.cancel() }
        _ = await saving?.value
        for listener in listeners.values { listener.finish() }
        listeners = [:]
        await delegateTask?.value
        store.close()
    }
}
