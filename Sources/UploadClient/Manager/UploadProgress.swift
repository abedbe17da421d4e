import Synchronization
package import Uploads

/// The state of one upload as this process knows it, and its listeners.
///
/// Two locks keep an update and the cancellation of a listener apart. A continuation that yields or finishes takes the
/// lock of the listening task. A cancelled task holds that lock while it calls `onTermination` and the app's own
/// cancellation handlers. So no continuation is called under `state`, and only a method that sends updates takes
/// `telling`.
package final class UploadProgress: Sendable {
    /// How many updates one listener may be behind. Older updates are dropped, never the last one.
    private static let backlogMaximum = 16

    private typealias Listener = AsyncStream<UploadUpdate>.Continuation

    private struct State {
        var upload: FollowedUpload
        var listeners: [Int: Listener] = [:]
        var lastListener = 0
        var isClosed = false
        /// The id of the outcome that was shown and that no listener has read yet.
        var outcome: String?
    }

    package let id: JobID
    /// The round whose end is awaited.
    package let round: Int
    private let state: Mutex<State>
    /// Held while an update is sent, so that all listeners get all updates in order.
    private let telling = Mutex(())
    private let onTaken: @Sendable (_ outcome: String) -> Void

    /// - Parameter onTaken: called once, with the outcome's id, when a listener has read the end.
    package init(_ update: UploadUpdate, round: Int, onTaken: @escaping @Sendable (_ outcome: String) -> Void) {
        id = update.id
        self.round = round
        state = Mutex(State(upload: FollowedUpload(update, round: round)))
        self.onTaken = onTaken
    }

    package var latest: UploadUpdate { state.withLock { $0.upload.update } }

    /// Changes the state and reports it to the listeners; does nothing after the end.
    /// - Parameter outcome: the outcome's id, if this change is the end.
    package func change(outcome: String? = nil, _ body: (inout UploadUpdate) -> Void) {
        tell(outcome: outcome) { upload in
            upload.change(body)
            return true
        }
    }

    /// Applies an event other than an end.
    func hear(_ event: UploadEvent) { tell { $0.hear(event) } }

    /// Applies the notifier's answer about the upload.
    func learn(_ report: JobReport) { tell { $0.learn(report) } }

    /// - Parameter body: returns whether there is a change to report.
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

    /// Ends all listeners' streams: this process will learn no more about the upload.
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
