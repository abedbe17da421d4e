import Synchronization
import Uploads

/// Holds its callers to a rate, first come, first served. Who is cancelled leaves the line at once, and takes nothing.
///
/// Only the head of the line looks at the clock; the line is as long as there are callers at the same time.
final class RateLimiter: Sendable {
    private struct State: Sendable {
        var bucket: TokenBucket?
        var nextID: UInt64 = 0
        /// Who waits, in order; the first is at the bucket.
        var line: [UInt64] = []
        var continuations: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var cancelled: Set<UInt64> = []
    }

    /// How long the head sleeps at most before it looks whether the rate was changed.
    static let napMaximum = Duration.milliseconds(500)

    private let rate: @Sendable () -> Double?
    private let clock: any Clock<Duration>
    private let elapsed: @Sendable () -> Duration
    private let state = Mutex(State())

    /// - Parameter rate: what may pass in a second at this moment; nil is no limit. Asked often.
    init(clock: any Clock<Duration>, rate: @escaping @Sendable () -> Double?) {
        self.rate = rate
        self.clock = clock
        elapsed = Self.stopwatch(clock)
    }

    var waitingCount: Int { state.withLock { $0.line.count } }

    /// Returns when the amount may pass.
    /// - Throws: `CancellationError`.
    func take(_ amount: Double) async throws {
        guard let id = enter(amount) else { return }
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

    /// - Returns: nil when it may pass at once, else its place in the line.
    private func enter(_ amount: Double) -> UInt64? {
        state.withLock { state in
            if state.line.isEmpty, ask(amount, &state) == nil { return nil }
            state.nextID += 1
            state.line.append(state.nextID)
            return state.nextID
        }
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

    /// Returns when it is at the head of the line, or was cancelled.
    private func untilFirst(_ id: UInt64) async {
        await withCheckedContinuation { continuation in
            let mayGo = state.withLock { state in
                if state.line.first == id || state.cancelled.contains(id) { return true }
                state.continuations[id] = continuation
                return false
            }
            if mayGo { continuation.resume() }
        }
    }

    private func wake(_ id: UInt64) {
        let continuation = state.withLock { state in
            if state.line.contains(id) { state.cancelled.insert(id) }
            return state.continuations.removeValue(forKey: id)
        }
        continuation?.resume()
    }

    private func leave(_ id: UInt64) {
        let next = state.withLock { state in
            state.cancelled.remove(id)
            state.line.removeAll { $0 == id }
            return state.line.first.flatMap { state.continuations.removeValue(forKey: $0) }
        }
        next?.resume()
    }

    static func stopwatch(_ clock: some Clock<Duration>) -> @Sendable () -> Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }
}
