import Foundation
import Uploads

/// Applies the news about a session's files.
extension SessionList {
    mutating func hear(_ update: UploadUpdate) -> [Event] {
        let bytesDone = update.bytesDone
        let size = update.isSizeKnown ? update.bytesTotal : nil
        switch update.status {
        case .queued: return hear(update.id, .waiting, bytesDone: bytesDone, size: size)
        case .running: return hear(update.id, .running, bytesDone: bytesDone, size: size)
        case .waiting: return hear(update.id, .interrupted, bytesDone: bytesDone, size: size)
        case .paused: return hear(update.id, .paused, bytesDone: bytesDone, size: size)
        case .cancelling: return hear(update.id, .cancelling, bytesDone: bytesDone, size: size)
        case .completed: return hear(update.id, .completed, size: size)
        case .cancelled: return hear(update.id, .cancelled)
        case .failed(let failure): return hear(update.id, .failed, failure: failure.error)
        }
    }

    /// - Parameters:
    ///   - state: the file's new state.
    ///   - size: the file's size, if it is known.
    mutating func hear(
        _ job: JobID, _ state: TransferSession.File.State, bytesDone: Int64? = nil, size: Int64? = nil,
        failure: UploadError? = nil
    ) -> [Event] {
        guard let index = sessions.firstIndex(where: { $0.files.contains { $0.job == job } }),
            let file = sessions[index].files.firstIndex(where: { $0.job == job }),
            !sessions[index].files[file].state.isEnd
        else { return [] }
        // A completed file was sent, even if no event said so: a small file, or one that was sent while the broker was
        // away. A session that is being cancelled does not start to run any more.
        if state == .completed, sessions[index].state != .running, !sessions[index].hasGivenWay,
            !sessions[index].isCancelling
        {
            return hear(job, .running) + hear(job, .completed, bytesDone: bytesDone, size: size)
        }
        let old = sessions[index]
        if let bytesDone { sessions[index].files[file].bytesDone = bytesDone }
        if let size { sessions[index].files[file].size = size }
        if state == .completed { sessions[index].files[file].bytesDone = sessions[index].files[file].size ?? 0 }
        sessions[index].files[file].failure = state == .failed ? failure : nil
        // Late news about a session that gave its turn back does not count. News about a running session may come
        // before the end of the session before it.
        let hasTurn = first == old.id || old.isGivingWay || old.state.isActive
        if hasTurn { sessions[index].hasGivenWay = false }
        let counts =
            old.isCancelling
            ? state.isEnd : hasTurn || state.isEnd || state == .cancelling || (state == .running && !old.hasGivenWay)
        if counts { sessions[index].files[file].state = state }
        let changes = settle(index)
        if !changes.isEmpty || sessions[index] == old { return changes }
        return [event(sessions[index].bytesDone == old.bytesDone ? .changed : .progress, index)]
    }

    /// Derives the session's state from the states of its files.
    /// - Returns: the events to report; none if the state did not change.
    mutating func settle(_ index: Int) -> [Event] {
        let before = sessions[index].state
        let wasActivated = sessions[index].isActivated
        let id = sessions[index].id
        let state = Self.state(of: sessions[index])
        if sessions[index].isIdle {
            sessions[index].isGivingWay = false
            sessions[index].hasGivenWay = false
        }
        guard state != before else { return [] }
        sessions[index].state = state
        sessions[index].keepsTurn = state == .cancelling && wasActivated
        if state.isEnd {
            sessions[index].isPaused = false
            sessions[index].isCancelling = false
            sessions[index].isGivingWay = false
            line.removeAll { $0 == id }
        }
        var events = Self.kinds(from: before, to: state, isActivated: wasActivated).map { event($0, index) }
        if state.isEnd, sessions[index].isRemoving { events.append(takeOut(index)) }
        return events
    }

    private static func state(of session: TransferSession) -> TransferSession.State {
        let states = session.files.map(\.state)
        if states.allSatisfy(\.isEnd) {
            if session.staysOpen { return session.isCancelling ? .cancelled : .queued }
            if states.contains(.failed) { return .failed }
            return states.contains(.cancelled) ? .cancelled : .finished
        }
        if session.isCancelling { return .cancelling }
        if states.contains(.running) { return .running }
        if states.contains(.paused) || states.contains(.interrupted) { return .active }
        return session.state == .queued ? .queued : .active
    }

    /// The kinds of events to report, in order, when a session goes from one state to another.
    /// - Parameter isActivated: whether listeners were told that the session's turn came, and not yet that it is over.
    ///   A session that is being cancelled keeps its turn until it has ended.
    static func kinds(
        from before: TransferSession.State, to after: TransferSession.State, isActivated: Bool
    ) -> [Event.Kind] {
        var kinds: [Event.Kind] = []
        if !isActivated, after.isActive { kinds += [.willActivate, .didActivate] }
        if after == .running { kinds += [.willStartRunning, .didStartRunning] }
        if before == .running { kinds += [.willStopRunning, .didStopRunning] }
        switch after {
        case .cancelled: kinds.append(.cancelled)
        case .failed: kinds.append(.failed)
        case .finished: kinds.append(.finished)
        case .saved, .queued, .active, .running, .cancelling: break
        }
        if isActivated, !after.isActive, after != .cancelling { kinds += [.willDeactivate, .didDeactivate] }
        return kinds
    }
}
