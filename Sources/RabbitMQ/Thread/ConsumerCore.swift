import Synchronization

/// The state that the connection's thread and the reader of a consumer share. Holds at most a prefetch of deliveries.
final class ConsumerCore: Sendable {
    typealias Batch = Result<[Delivery]?, RabbitMQError>

    private struct State {
        var buffer: [Delivery] = []
        var waiters: [(id: UInt64, continuation: CheckedContinuation<Batch, Never>)] = []
        var cancelledWaits: Set<UInt64> = []
        var nextWait: UInt64 = 0
        var end: Result<Void, RabbitMQError>?
        var lastOffset: UInt64?
    }

    let queue: String
    let tag: String
    let prefetch: UInt16
    let isExclusive: Bool
    let arguments: Table
    let stream: StreamOffset?
    private let state = Mutex(State())

    init(
        queue: String, tag: String, prefetch: UInt16, isExclusive: Bool, arguments: Table, stream: StreamOffset?
    ) {
        self.queue = queue
        self.tag = tag
        self.prefetch = prefetch
        self.isExclusive = isExclusive
        self.arguments = arguments
        self.stream = stream
    }

    /// The arguments to consume with now: a stream continues behind the deliveries that the reader has got.
    var currentArguments: Table {
        guard let stream else { return arguments }
        var all = arguments
        all["x-stream-offset"] = resumeOffset.map { StreamOffset.offset($0).argument } ?? stream.argument
        return all
    }

    /// The first stream offset that the reader has not seen.
    var resumeOffset: UInt64? { state.withLock { $0.lastOffset.map { $0 + 1 } } }

    func deliver(_ deliveries: [Delivery]) {
        let waiter = state.withLock { state -> CheckedContinuation<Batch, Never>? in
            guard state.end == nil else { return nil }
            guard !state.waiters.isEmpty else {
                state.buffer += deliveries
                return nil
            }
            state.lastOffset = deliveries.last?.streamOffset ?? state.lastOffset
            return state.waiters.removeFirst().continuation
        }
        waiter?.resume(returning: .success(deliveries))
    }

    /// Drops unread deliveries: the broker delivers them again, and they could not be settled any more.
    func dropUnread() { state.withLock { $0.buffer = [] } }

    /// Ends the sequence behind the deliveries that have come; the first end counts.
    func end(_ end: Result<Void, RabbitMQError>) {
        let waiters = state.withLock { state in
            if state.end == nil { state.end = end }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.continuation.resume(returning: end.map { nil }) }
    }

    /// - Returns: the deliveries that have come; `nil` at the end or when the task is cancelled.
    func next() async throws(RabbitMQError) -> [Delivery]? {
        let id = state.withLock { state in
            state.nextWait += 1
            return state.nextWait
        }
        let batch = await withTaskCancellationHandler {
            await withCheckedContinuation { (waiter: CheckedContinuation<Batch, Never>) in
                let early = state.withLock { state -> Batch? in
                    if state.cancelledWaits.remove(id) != nil { return .success(nil) }
                    if !state.buffer.isEmpty {
                        let batch = state.buffer
                        state.buffer = []
                        state.lastOffset = batch.last?.streamOffset ?? state.lastOffset
                        return .success(batch)
                    }
                    if let end = state.end { return end.map { nil } }
                    state.waiters.append((id, waiter))
                    return nil
                }
                if let early { waiter.resume(returning: early) }
            }
        } onCancel: {
            let waiter = state.withLock { state -> CheckedContinuation<Batch, Never>? in
                if let index = state.waiters.firstIndex(where: { $0.id == id }) {
                    return state.waiters.remove(at: index).continuation
                }
                state.cancelledWaits.insert(id)
                return nil
            }
            waiter?.resume(returning: .success(nil))
        }
        state.withLock { _ = $0.cancelledWaits.remove(id) }
        return try batch.get()
    }
}
