import Synchronization
import Uploads

/// Holds its callers to a rate, first come, first served. Urgent callers go ahead of others; each other caller is passed a few times at
/// most. A cancelled caller leaves the queue at once and takes nothing.
///
/// Only the first caller of the queue looks at the clock; the queue holds one entry for each waiting caller.
final class RateLimiter: Sendable {
    private struct State: Sendable {
        var bucket: TokenBucket?
        var nextID: UInt64 = 0
        /// The waiting callers, in order; the first one draws from the bucket.
        var queue: [Place] = []
        var continuations: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var cancelled: Set<UInt64> = []
    }

    private struct Place: Sendable {
        var id: UInt64
        /// How often urgent callers have gone ahead of this caller; nil for an urgent caller.
        var passed: Int?
    }

    /// How often urgent callers may go ahead of the same other caller.
    static let passesMaximum = 8

    /// The longest time that the first caller sleeps before it checks whether the rate was changed.
    static let napMaximum = Duration.milliseconds(500)

    private let rate: @Sendable () -> Double?
    private let clock: any Clock<Duration>
    private let elapsed: @Sendable () -> Duration
    /// Called when the first caller begins to wait, and when the last one has left.
    private let changed: @Sendable (_ isWaiting: Bool) -> Void
    private let state = Mutex(State())

    /// - Parameter rate: the amount that may pass in a second at this moment; nil is no limit. Called often.
    init(
        clock: any Clock<Duration>, changed: @escaping @Sendable (_ isWaiting: Bool) -> Void = { _ in },
        rate: @escaping @Sendable () -> Double?
    ) {
        self.rate = rate
        self.clock = clock
        self.changed = changed
        elapsed = Self.stopwatch(clock)
    }

    var waitingCount: Int { state.withLock { $0.queue.count } }

    /// Returns when the amount may pass.
    /// - Throws: `CancellationError`.
    func take(_ amount: Double, isUrgent: Bool = false) async throws {
        guard let id = enter(amount, isUrgent: isUrgent) else { return }
        await withTaskCancellationHandler {
            await untilFirst(id)
        } onCancel: {
            wake(id)
        }
        defer { leave(id) }
        while true {
            try Task.checkCancellation()
            guard let wait = state.withLock({ ask(amount, &$0) }) else { return }
            try await clock.sleep(for: min(wait, Self.napMaximum))
        }
    }

    /// - Returns: nil when the amount may pass at once, else the id of the caller's place in the queue.
    private func enter(_ amount: Double, isUrgent: Bool) -> UInt64? {
        let (id, isFirst) = state.withLock { state -> (UInt64?, Bool) in
            if state.queue.isEmpty, ask(amount, &state) == nil { return (nil, false) }
            state.nextID += 1
            // The first caller draws from the bucket already, and keeps its place.
            var index = state.queue.count
            while isUrgent, index > 1, let passed = state.queue[index - 1].passed, passed < Self.passesMaximum {
                state.queue[index - 1].passed = passed + 1
                index -= 1
            }
            state.queue.insert(Place(id: state.nextID, passed: isUrgent ? nil : 0), at: index)
            return (state.nextID, state.queue.count == 1)
        }
        if isFirst { changed(true) }
        return id
    }

    private func ask(_ amount: Double, _ state: inout State) -> Duration? {
        guard let rate = rate() else {
            state.bucket = nil
            return nil
        }
        let now = elapsed()
        var bucket = state.bucket ?? TokenBucket(rate: rate, at: now)
        if bucket.rate != rate { bucket.setRate(rate, at: now) }
        defer { state.bucket = bucket }
        return bucket.take(amount, at: now)
    }

    /// Returns when the caller is at the head of the queue, or was cancelled.
    private func untilFirst(_ id: UInt64) async {
        await withCheckedContinuation { continuation in
            let mayGo = state.withLock { state in
                if state.queue.first?.id == id || state.cancelled.contains(id) { return true }
                state.continuations[id] = continuation
                return false
            }
            if mayGo { continuation.resume() }
        }
    }

    private func wake(_ id: UInt64) {
        let continuation = state.withLock { state in
            if state.queue.contains(where: { $0.id == id }) { state.cancelled.insert(id) }
            return state.continuations.removeValue(forKey: id)
        }
        continuation?.resume()
    }

    private func leave(_ id: UInt64) {
        let (next, isLast) = state.withLock { state in
            state.cancelled.remove(id)
            state.queue.removeAll { $0.id == id }
            return (
                state.queue.first.flatMap { state.continuations.removeValue(forKey: $0.id) }, state.queue.isEmpty
            )
        }
        if isLast { changed(false) }
        next?.resume()
    }

    static func stopwatch(_ clock: some Clock<Duration>) -> @Sendable () -> Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }
}
