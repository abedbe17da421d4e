import Synchronization
import Uploads

/// A baton that a local queue has issued, while its slice works.
final class LocalClaim: ClaimedBaton {
    private struct State: Sendable {
        var validity = BatonValidity.holds
        /// Told when the baton does not hold any more.
        var listener: (@Sendable (BatonValidity) -> Void)?
        /// Whether the slice has asked for its baton's validity, which it does before everything else.
        var hasBegun = false
        var hasProgressed = false
        /// The first report of progress.
        var first: (bytesDone: Int64, at: ContinuousClock.Instant)?
    }

    /// Progress over this time proves that the upload does not kill its program.
    private static let proof = Duration.seconds(30)

    let baton: Baton
    let lane: Lane
    private let queue: LocalJobQueue
    private let state = Mutex(State())

    init(_ baton: Baton, lane: Lane, queue: LocalJobQueue) {
        self.baton = baton
        self.lane = lane
        self.queue = queue
    }

    var hasBegun: Bool { state.withLock { $0.hasBegun } }

    /// Notes a pause or its end.
    func set(isPaused: Bool) {
        state.withLock { state in
            if state.validity != .superseded { state.validity = isPaused ? .paused : .holds }
        }
        tellLoss()
    }

    /// Notes that another generation counts now.
    /// - Returns: whether the slice has begun, and so has to end before the new generation is issued; a slice that has
    ///   not begun never will.
    func supersede() -> Bool {
        let hasBegun = state.withLock { state in
            state.validity = .superseded
            return state.hasBegun
        }
        tellLoss()
        return hasBegun
    }

    func validity() async -> BatonValidity {
        state.withLock { state in
            state.hasBegun = true
            return state.validity
        }
    }

    func onLoss(_ callback: @escaping @Sendable (BatonValidity) -> Void) -> @Sendable () -> Void {
        state.withLock { $0.listener = callback }
        tellLoss()
        return { [weak self] in self?.state.withLock { $0.listener = nil } }
    }

    private func tellLoss() {
        let (listener, validity) = state.withLock { state -> ((@Sendable (BatonValidity) -> Void)?, BatonValidity) in
            guard state.validity != .holds else { return (nil, .holds) }
            defer { state.listener = nil }
            return (state.listener, state.validity)
        }
        listener?(validity)
    }

    func started(state: UploadState?) async throws(UploadError) { try await queue.started(self, state) }

    func progress(bytesDone: Int64, bytesPerSecond: Double, partBytes: Int64?) {
        let (isProgress, isPaused) = state.withLock { state in
            let first = state.first ?? (bytesDone, .now)
            state.first = first
            let isPaused = state.validity == .paused
            let bytes = bytesDone - first.bytesDone
            guard !state.hasProgressed, bytes > 0, bytes > queue.progressBytes || .now - first.at > Self.proof else {
                return (false, isPaused)
            }
            state.hasProgressed = true
            return (true, isPaused)
        }
        if isProgress { Task { [queue] in await queue.progressed(self) } }
        // A paused slice still ends its parts; listeners keep seeing it as paused, as ordered.
        if !isPaused { queue.tellProgress(of: baton, bytesDone, bytesPerSecond, partBytes) }
    }
}
