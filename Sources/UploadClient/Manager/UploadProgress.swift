import Synchronization
package import Uploads

/// What this process knows of one upload, and who listens.
package final class UploadProgress: Sendable {
    /// Updates that one listener may be behind; older ones are dropped, never the end.
    private static let backlogMaximum = 16

    private struct State {
        var latest: UploadUpdate
        var listeners: [Int: AsyncStream<UploadUpdate>.Continuation] = [:]
        var lastListener = 0
        var isClosed = false
        /// The outcome that was shown and nobody has seen yet.
        var outcome: String?
    }

    package let id: JobID
    /// The round whose end is awaited.
    package let round: Int
    private let state: Mutex<State>
    private let onTaken: @Sendable (_ outcome: String) -> Void

    /// - Parameter onTaken: called once, when somebody has seen the end, with the outcome's id.
    package init(_ update: UploadUpdate, round: Int, onTaken: @escaping @Sendable (_ outcome: String) -> Void) {
        id = update.id
        self.round = round
        state = Mutex(State(latest: update))
        self.onTaken = onTaken
    }

    package var latest: UploadUpdate { state.withLock { $0.latest } }

    /// Nothing follows the end.
    /// - Parameter outcome: the outcome's id, where this is the end.
    package func change(outcome: String? = nil, _ body: (inout UploadUpdate) -> Void) {
        let ended = state.withLock { state -> [AsyncStream<UploadUpdate>.Continuation] in
            guard !state.latest.status.isEnd, !state.isClosed else { return [] }
            body(&state.latest)
            state.outcome = outcome
            for listener in state.listeners.values { listener.yield(state.latest) }
            return state.latest.status.isEnd ? Self.release(&state) : []
        }
        for listener in ended { listener.finish() }
    }

    /// Nothing more will become known here.
    package func close() {
        let ended = state.withLock { state in
            state.isClosed = true
            return Self.release(&state)
        }
        for listener in ended { listener.finish() }
    }

    func subscribe() -> AsyncStream<UploadUpdate> {
        let (stream, listener) = AsyncStream.makeStream(
            of: UploadUpdate.self, bufferingPolicy: .bufferingNewest(Self.backlogMaximum))
        let number = state.withLock { state -> Int? in
            listener.yield(state.latest)
            guard !state.latest.status.isEnd, !state.isClosed else {
                listener.finish()
                return nil
            }
            state.lastListener += 1
            state.listeners[state.lastListener] = listener
            return state.lastListener
        }
        if let number {
            listener.onTermination = { [weak self] _ in
                self?.state.withLock { _ = $0.listeners.removeValue(forKey: number) }
            }
        }
        return stream
    }

    func wasTaken() {
        let outcome = state.withLock { state in
            defer { state.outcome = nil }
            return state.outcome
        }
        if let outcome { onTaken(outcome) }
    }

    /// To be finished without the lock: finishing calls back.
    private static func release(_ state: inout State) -> [AsyncStream<UploadUpdate>.Continuation] {
        defer { state.listeners = [:] }
        return Array(state.listeners.values)
    }
}
