import Synchronization
package import Uploads

/// What this process knows of one upload, and who listens.
///
/// Two locks keep an update and the cancellation of a listener apart. A continuation that yields or finishes wants the lock of the task that
/// listens; a task that is cancelled holds that lock while it calls `onTermination`, and whatever handler an app has. So none of these
/// is called under ``state``, and only who tells takes ``telling``.
package final class UploadProgress: Sendable {
    /// Updates that one listener may be behind; older ones are dropped, never the end.
    private static let backlogMaximum = 16

    private typealias Listener = AsyncStream<UploadUpdate>.Continuation

    private struct State {
        var upload: FollowedUpload
        var listeners: [Int: Listener] = [:]
        var lastListener = 0
        var isClosed = false
        /// The outcome that was shown and nobody has seen yet.
        var outcome: String?
    }

    package let id: JobID
    /// The round whose end is awaited.
    package let round: Int
    private let state: Mutex<State>
    /// Held while an update is told, so that all listeners hear of all in order.
    private let telling = Mutex(())
    private let onTaken: @Sendable (_ outcome: String) -> Void

    /// - Parameter onTaken: called once, when somebody has seen the end, with the outcome's id.
    package init(_ update: UploadUpdate, round: Int, onTaken: @escaping @Sendable (_ outcome: String) -> Void) {
        id = update.id
        self.round = round
        state = Mutex(State(upload: FollowedUpload(update, round: round)))
        self.onTaken = onTaken
    }

    package var latest: UploadUpdate { state.withLock { $0.upload.update } }

    /// Nothing follows the end.
    /// - Parameter outcome: the outcome's id, where this is the end.
    package func change(outcome: String? = nil, _ body: (inout UploadUpdate) -> Void) {
        tell(outcome: outcome) { upload in
            upload.change(body)
            return true
        }
    }

    /// Takes an event that is no end.
    func hear(_ event: UploadEvent) { tell { $0.hear(event) } }

    /// Takes what the notifier answers.
    func learn(_ report: JobReport) { tell { $0.learn(report) } }

    /// - Parameter body: whether there is anything to tell.
    private func tell(outcome: String? = nil, _ body: (inout FollowedUpload) -> Bool) {
        telling.withLock { _ in
            let (latest, listeners) = state.withLock { state in
                guard !state.upload.update.status.isEnd, !state.isClosed, body(&state.upload) else {
                    return (state.upload.update, [Listener]())
                }
                state.outcome = outcome
                return (state.upload.update, Array(state.listeners.values))
            }
            for listener in listeners {
                listener.yield(latest)
                if latest.status.isEnd { listener.finish() }
            }
        }
    }

    /// Nothing more will become known here.
    package func close() {
        telling.withLock { _ in
            let listeners = state.withLock { state in
                state.isClosed = true
                return Array(state.listeners.values)
            }
            for listener in listeners { listener.finish() }
        }
    }

    func subscribe() -> AsyncStream<UploadUpdate> {
        let (stream, listener) = AsyncStream.makeStream(
            of: UploadUpdate.self, bufferingPolicy: .bufferingNewest(Self.backlogMaximum))
        let number = state.withLock { state -> Int? in
            listener.yield(state.upload.update)
            guard !state.upload.update.status.isEnd, !state.isClosed else {
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
}
