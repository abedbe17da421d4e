import Foundation
import Logging
import RabbitMQ
import Synchronization
import Uploads

/// The control log as one process has read it: a fold over a stream that every worker reads and the notifier writes.
///
/// ``start()`` reads the log up to a marker of its own, so all earlier entries are known when it returns. After a
/// reconnect the reader continues behind the last entry.
final class ControlLog: Sendable {
    /// A stream that lost its leader and the majority may never confirm entries that one channel published meanwhile,
    /// though it takes entries over another channel. A repeated entry has no further effect.
    static let confirmLimit = Duration.seconds(10)

    /// After a longer silence of the log, its connection may be half dead.
    static let silenceMaximum = Duration.seconds(10)
    /// How far back the first read looks for the last snapshot: snapshots come every hour, and each is appended within
    /// minutes.
    static let snapshotAgeMaximum: TimeInterval = 2 * 3600
    private static let markerPatience = Duration.seconds(10)
    private static let prefetch: UInt16 = 256

    private struct State {
        var fold = ControlFold()
        var heardAt: ContinuousClock.Instant
        var snapshotAt: ContinuousClock.Instant?
        var lastOffset: UInt64?
        var markers: [UUID: (begunAt: ContinuousClock.Instant, read: Signal)] = [:]
        /// Fires when the refresh that is under way has ended, with its marker or without.
        var refresh: Signal?
        /// Snapshots that this program begins, each with the view at its beginning once that is read.
        var beginnings: [UUID: (view: ControlView?, read: Signal)] = [:]
        var observers: [Int: @Sendable () -> Void] = [:]
        var lastID = 0
        var channel: Channel?
        var reader: Task<Void, Never>?
    }

    private let topology: UploadTopology
    private let consuming: Connection
    private let publisher: Publisher
    private let logger: Logger
    private let now: @Sendable () -> ContinuousClock.Instant
    private let stopped = Signal()
    private let state: Mutex<State>

    /// - Parameter now: the clock of the silence rule.
    init(
        topology: UploadTopology, consuming: Connection, publisher: Publisher, logger: Logger,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
    ) {
        self.topology = topology
        self.consuming = consuming
        self.publisher = publisher
        self.logger = logger
        self.now = now
        self.state = Mutex(State(heardAt: now()))
    }

    var view: ControlView { state.withLock { $0.fold.view } }

    /// When the last piece of a whole snapshot was read; nil if none was.
    var snapshotAt: ContinuousClock.Instant? { state.withLock { $0.snapshotAt } }

    var isSilent: Bool { now() - state.withLock { $0.heardAt } >= Self.silenceMaximum }

    /// Reads from the last snapshot up to a marker of its own.
    /// - Throws: the error that prevents reading: `accessDenied`, or `networkFailure` when the broker object is closed.
    func start() async throws(UploadError) {
        let recent = Date(timeIntervalSinceNow: -Self.snapshotAgeMaximum)
        try await read(from: .timestamp(recent))
        if await readUpToNow(unless: stopped), snapshotAt != nil { return }
        let channel = await endReading()
        // The second reading does not wait for the end of the first one at the broker.
        async let closed: Void? = channel?.close()
        state.withLock { state in
            state.fold = ControlFold()
            state.lastOffset = nil
        }
        try await read(from: .first)
        let isRead = await readUpToNow(unless: stopped)
        await closed
        guard isRead else {
            throw UploadError(.interrupted, "the control log was stopped before it was read; start it again")
        }
    }

    func stop() async {
        stopped.fire()
        await endReading()?.close()
    }

    /// Calls back after each change of the view, from any thread, until ``removeObserver(_:)``.
    func observe(_ callback: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            state.lastID += 1
            state.observers[state.lastID] = callback
            return state.lastID
        }
    }

    func removeObserver(_ id: Int) { state.withLock { _ = $0.observers.removeValue(forKey: id) } }

    /// Appends an entry, in parts if it names many jobs, and tries until all are confirmed.
    func append(_ entry: ControlEntry, unless lost: Signal) async throws(UploadError) {
        for part in entry.parts { try await appendWhole(part, unless: lost) }
    }

    /// Appends a snapshot: its beginning, and when that is read, the view at that place in pieces.
    func appendSnapshot(unless lost: Signal) async throws(UploadError) {
        let id = UUID()
        let read = Signal()
        state.withLock { $0.beginnings[id] = (nil, read) }
        defer { state.withLock { _ = $0.beginnings.removeValue(forKey: id) } }
        try await append(.snapshotBegins(id), unless: lost)
        await read.wait(atMost: Self.markerPatience, or: stopped, lost)
        guard let view = state.withLock({ $0.beginnings[id]?.view }) else {
            throw UploadError(
                .networkFailure,
                "the beginning of a snapshot was appended to the control log and not read; a new one is begun later")
        }
        for piece in view.snapshot(id) { try await append(.snapshot(piece), unless: lost) }
    }

    private func appendWhole(_ entry: ControlEntry, unless lost: Signal) async throws(UploadError) {
        let parcel = Parcel(
            message: try WireFormat.message(entry: entry), exchange: topology.control, routingKey: "",
            confirmLimit: Self.confirmLimit, topology: self.topology.shared)
        do throws(RabbitMQError) {
            try await publisher.deliver(parcel, until: lost)
        } catch {
            throw UploadError(error, doing: "the control log could not be appended to")
        }
    }

    /// Appends a marker and reads up to it, so that the view holds all entries that were confirmed before this call.
    /// - Returns: false when `lost` or ``stop()`` came first.
    func readUpToNow(unless lost: Signal) async -> Bool {
        while !lost.isFired, !stopped.isFired {
            let id = UUID()
            let read = Signal()
            let begunAt = now()
            state.withLock { $0.markers[id] = (begunAt, read) }
            defer { state.withLock { _ = $0.markers.removeValue(forKey: id) } }
            let appended = (try? await append(.marker(id), unless: lost)) != nil
            // If the stream was deleted meanwhile, the marker is gone: append another one after a while.
            if appended, await lost.cancelling({ await read.wait(atMost: Self.markerPatience, or: self.stopped) }) {
                return true
            }
            if !appended, await stopped.wait(atMost: .milliseconds(200), or: lost) { return false }
        }
        return false
    }

    /// Reads up to now if the log was silent. All who ask at the same time share one marker.
    func refreshIfSilent(unless lost: Signal) async {
        while isSilent, !lost.isFired, !stopped.isFired {
            let own = Signal()
            let underWay = state.withLock { state in
                defer { state.refresh = state.refresh ?? own }
                return state.refresh
            }
            if let underWay {
                // Not ended by a cancellation of the caller, who would ask again at once.
                _ = await lost.cancelling { [stopped] in await underWay.wait(or: stopped) }
                continue
            }
            defer {
                state.withLock { $0.refresh = nil }
                own.fire()
            }
            guard await readUpToNow(unless: lost) else { return }
        }
    }

    // MARK: Reading

    private func read(from offset: StreamOffset) async throws(UploadError) {
        while true {
            do throws(RabbitMQError) {
                let consumer = try await consuming.consume(
                    topology.control, prefetch: Self.prefetch, stream: offset)
                let reader = Task { await self.readOn(consumer) }
                return state.withLock { state in
                    state.reader = reader
                    state.channel = consumer.channel
                }
            } catch {
                guard error.isRetryable, !stopped.isFired, (try? await consuming.waitUntilConnected()) != nil else {
                    throw UploadError(error, doing: "the control log could not be read")
                }
                await stopped.wait(atMost: .milliseconds(200))
            }
        }
    }

    /// Returns when the reader applies no more entries.
    /// - Returns: the reader's channel, to be closed.
    private func endReading() async -> Channel? {
        let (channel, reader) = state.withLock { state in
            defer {
                state.channel = nil
                state.reader = nil
            }
            return (state.channel, state.reader)
        }
        reader?.cancel()
        await reader?.value
        return channel
    }

    /// Reads until it is cancelled, across losses of consumer and channel.
    private func readOn(_ first: Consumer) async {
        var consumer = first
        while true {
            do throws(RabbitMQError) {
                var batches = consumer.makeAsyncIterator()
                while let batch = try await batches.next() { apply(batch, from: consumer) }
            } catch {
                logger.warning("control log interrupted", metadata: ["error": .string(String(describing: error))])
                if error.code == .consumerCancelled { forgetOffset() }
            }
            guard !Task.isCancelled, !stopped.isFired, let next = await consumeAgain(first.channel) else { break }
            consumer = next
        }
    }

    private func consumeAgain(_ channel: Channel) async -> Consumer? {
        while !Task.isCancelled, !stopped.isFired {
            do throws(RabbitMQError) {
                try await consuming.waitUntilConnected()
                do throws(RabbitMQError) {
                    try await consuming.declareAgain(topology.shared)
                } catch  where error.code == .accessRefused {
                    // An administrator declares it.
                }
                let offset = state.withLock { $0.lastOffset }.map { StreamOffset.offset($0 + 1) } ?? .first
                return try await channel.consume(topology.control, prefetch: Self.prefetch, stream: offset)
            } catch {
                if error.code == .closed { return nil }
                logger.warning(
                    "control log cannot be read, trying again",
                    metadata: ["error": .string(String(describing: error))])
                await stopped.wait(atMost: .seconds(1))
            }
        }
        return nil
    }

    private func forgetOffset() { state.withLock { $0.lastOffset = nil } }

    private func apply(_ batch: [Delivery], from consumer: Consumer) {
        for delivery in batch {
            let content = WireFormat.read(delivery.message)
            consumer.acknowledge(delivery)
            guard case .control(let entry) = content else {
                // Perhaps of a newer version: its content about jobs is in the next snapshot as well.
                logger.warning("control log entry not understood", metadata: ["content": .string("\(content.word)")])
                continue
            }
            apply(entry, offset: delivery.streamOffset)
        }
    }

    private func apply(_ entry: ControlEntry, offset: UInt64?) {
        let now = now()
        let (read, observers) = state.withLock { state -> (Signal?, [@Sendable () -> Void]) in
            state.lastOffset = offset ?? state.lastOffset
            let isSnapshotWhole = state.fold.apply(entry)
            var read: Signal?
            switch entry {
            case .marker(let id):
                if let marker = state.markers.removeValue(forKey: id) {
                    // This program's own marker only proves that all entries before its append were read.
                    state.heardAt = max(state.heardAt, marker.begunAt)
                    read = marker.read
                } else {
                    state.heardAt = now
                }
            case .snapshotBegins(let id):
                state.heardAt = now
                // If the beginning was appended twice, the first one counts, as for all readers.
                if let beginning = state.beginnings[id], beginning.view == nil {
                    state.beginnings[id]?.view = state.fold.view
                    read = beginning.read
                }
            default: state.heardAt = now
            }
            if isSnapshotWhole { state.snapshotAt = now }
            switch entry {
            case .marker, .snapshotBegins: return (read, [])
            default: return (read, Array(state.observers.values))
            }
        }
        for observer in observers { observer() }
        read?.fire()
    }
}

extension WireFormat.Content {
    /// A bounded word for logs; for an unreadable message, with the reason.
    var word: String {
        switch self {
        case .job: "job"
        case .baton: "baton"
        case .event(let event): event.kind.type
        case .marker: "marker"
        case .control: "control"
        case .order: "order"
        case .answer: "answer"
        case .destination: "destination"
        case .worker: "worker"
        case .newer(let type): type
        case .unreadable(let reason): reason
        }
    }
}
