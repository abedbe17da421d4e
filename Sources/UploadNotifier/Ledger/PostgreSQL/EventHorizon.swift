import Synchronization

/// How far the events of several notifiers can be read in the order of their numbers.
///
/// A transaction takes the numbers of its events before it commits, so an event may appear behind one with a higher number, and a reader that
/// was there already would miss it. All events up to a number are there once all transactions have ended that ran when that number was the
/// last. Times are those of this process; transactions are numbered by the server.
final class EventHorizon: Sendable {
    /// A transaction that runs for longer than this holds up no reader: no transaction of a notifier does.
    private static let patience = Duration.seconds(30)
    private static let pendingMaximum = 100

    private struct Pending {
        /// The last number at that time.
        var last: Int64
        /// The first transaction that had not begun then.
        var next: Int64
        var at: ContinuousClock.Instant
    }

    private let state = Mutex((safe: Int64(0), pending: [Pending]()))

    /// Notes a snapshot of the database.
    /// - Parameters:
    ///   - last: the number of the last event in it.
    ///   - oldest: the first transaction that had not ended.
    ///   - next: the first transaction that had not begun.
    /// - Returns: the number up to which all events are there.
    func safe(last: Int64, oldest: Int64, next: Int64, at now: ContinuousClock.Instant = .now) -> Int64 {
        state.withLock { state in
            let ended = state.pending.prefix { $0.next <= oldest || now - $0.at > Self.patience }
            if let reached = ended.last { state.safe = max(state.safe, reached.last) }
            state.pending.removeFirst(ended.count)
            if oldest == next {
                state.safe = max(state.safe, last)
                state.pending = []
            } else if state.pending.last?.last ?? 0 < last, state.pending.count < Self.pendingMaximum {
                state.pending.append(Pending(last: last, next: next, at: now))
            }
            return min(state.safe, last)
        }
    }
}
