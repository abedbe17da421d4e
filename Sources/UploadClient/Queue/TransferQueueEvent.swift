/// What happened in a ``TransferQueue``: applied in order to the list that it began with, it gives the list as it is.
public struct TransferQueueEvent: Hashable, Sendable {
    /// What happened to the session.
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
        /// Anything else that is to be seen of it, such as that it was paused.
        case changed
    }

    public let kind: Kind
    /// As it is after it; for a removed one, as it was.
    public let session: TransferSession
    /// Its index in the list, after an addition and before a removal.
    public let index: Int

    /// Does to a copy of the list what was done to the list.
    /// - Precondition: every event before this one was applied.
    public func apply(to sessions: inout [TransferSession]) {
        switch kind {
        case .added: sessions.insert(session, at: index)
        case .removed: sessions.remove(at: index)
        default: sessions[index] = session
        }
    }
}
