/// One change of a ``TransferQueue``. The events, applied in order to the first list, give the present list.
public struct TransferQueueEvent: Hashable, Sendable {
    /// The kind of the change.
    public enum Kind: String, Sendable, CaseIterable {
        case added
        case removed
        case willActivate
        case didActivate
        case willStartRunning
        case didStartRunning
        case progress
        case willStopRunning
        case didStopRunning
        case failed
        case finished
        case cancelled
        case willDeactivate
        case didDeactivate
        /// Any other visible change of the session, for example that it was paused.
        case changed
    }

    public let kind: Kind
    /// The session after the change; for a removed session, its last state.
    public let session: TransferSession
    /// Its index in the list, after an addition and before a removal.
    public let index: Int

    /// Applies the change to a copy of the list.
    /// - Precondition: every event before this one was applied.
    public func apply(to sessions: inout [TransferSession]) {
        switch kind {
        case .added: sessions.insert(session, at: index)
        case .removed: sessions.remove(at: index)
        default: sessions[index] = session
        }
    }
}
