import RabbitMQ
import Synchronization

/// The deliveries of one lane: all of them in one sequence, whose prefetch can be changed.
///
/// A prefetch holds for one consumer from its beginning, and what the broker sends to a consumer that is being cancelled comes again as
/// redelivered. So a greater prefetch adds a consumer for the difference; and the added ones are cancelled only when nothing has come
/// for a while.
final class LaneIntake: Sendable {
    private struct State: Sendable {
        /// The first one stays until the end.
        var consumers: [Consumer] = []
        /// Of all consumers.
        var prefetch: Int
        var wanted: Int
        /// Consumers that may still bring deliveries.
        var open = 1
        var arrivedAt = ContinuousClock.now
        var isShrinking = false
        var isEnding = false
    }

    /// How long nothing must have come before consumers are cancelled.
    private static let quietTime = Duration.seconds(2)

    let batches: AsyncStream<Result<[Delivery], RabbitMQError>>
    private let continuation: AsyncStream<Result<[Delivery], RabbitMQError>>.Continuation
    private let channel: Channel
    private let lane: String
    private let first: Int
    private let state: Mutex<State>

    /// Begins to take deliveries.
    /// - Throws: the errors of `Channel.consume`.
    init(lane: String, on channel: Channel, prefetch: UInt16) async throws(RabbitMQError) {
        self.lane = lane
        self.channel = channel
        first = Int(prefetch)
        (batches, continuation) = AsyncStream.makeStream()
        state = Mutex(State(prefetch: first, wanted: first))
        let consumer = try await channel.consume(lane, prefetch: prefetch)
        state.withLock { $0.consumers = [consumer] }
        Task { await pass(on: consumer) }
    }

    /// Changes how many deliveries the lane may hold.
    func setPrefetch(_ prefetch: UInt16) {
        let (missing, isTooMuch) = state.withLock { state in
            state.wanted = Int(prefetch)
            guard !state.isEnding else { return (0, false) }
            let missing = max(0, state.wanted - state.prefetch)
            state.prefetch += missing
            if missing > 0 { state.open += 1 }
            let isTooMuch = state.wanted < state.prefetch && state.prefetch > first && !state.isShrinking
            if isTooMuch { state.isShrinking = true }
            return (missing, isTooMuch)
        }
        if missing > 0 { Task { await add(UInt16(clamping: missing)) } }
        if isTooMuch { Task { await shrink() } }
    }

    /// Takes no more deliveries: the sequence ends behind those that have come.
    func cancel() async {
        let consumers = state.withLock { state in
            state.isEnding = true
            return state.consumers
        }
        for consumer in consumers { await consumer.cancel() }
    }

    private func add(_ prefetch: UInt16) async {
        // The first consumer meets the same error and reports it.
        guard let consumer = try? await channel.consume(lane, prefetch: prefetch) else {
            state.withLock { $0.prefetch -= Int(prefetch) }
            return close()
        }
        let isLate = state.withLock { state in
            if !state.isEnding { state.consumers.append(consumer) }
            return state.isEnding
        }
        if isLate { await consumer.cancel() }
        await pass(on: consumer)
    }

    private func pass(on consumer: Consumer) async {
        var batches = consumer.makeAsyncIterator()
        do throws(RabbitMQError) {
            while let batch = try await batches.next() {
                state.withLock { $0.arrivedAt = .now }
                continuation.yield(.success(batch))
            }
        } catch {
            continuation.yield(.failure(error))
        }
        close()
    }

    private func close() {
        let isLast = state.withLock { state in
            state.open -= 1
            return state.open == 0
        }
        if isLast { continuation.finish() }
    }

    /// Waits until nothing comes, and cancels the consumers that were added; or until they are needed again.
    private func shrink() async {
        while true {
            try? await Task.sleep(for: Self.quietTime)
            let outdated = state.withLock { state -> [Consumer]? in
                let isNeeded = state.isEnding || state.wanted >= state.prefetch
                // A consumer that is just being added is not cancelled, and counts on.
                let isQuiet =
                    state.open == state.consumers.count && ContinuousClock.now - state.arrivedAt >= Self.quietTime
                guard isNeeded || isQuiet else { return nil }
                state.isShrinking = false
                guard !isNeeded else { return [] }
                defer {
                    state.consumers.removeLast(state.consumers.count - 1)
                    state.prefetch = first
                }
                return Array(state.consumers.dropFirst())
            }
            guard let outdated else { continue }
            for consumer in outdated { await consumer.cancel() }
            let wanted = state.withLock { $0.wanted }
            if wanted > first, !outdated.isEmpty { setPrefetch(UInt16(clamping: wanted)) }
            return
        }
    }
}
