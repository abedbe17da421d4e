import Foundation
import Uploads

/// The orders about a session.
extension SessionList {
    /// Interrupts the session; it stays listed and does not run again by itself.
    mutating func cancel(_ id: UUID) throws(UploadError) -> [Event] {
        let index = try open(id, "cancelled")
        sessions[index].beginCancelling()
        let events = settle(index)
        return events.isEmpty ? [event(.changed, index)] : events
    }

    /// Holds the session, and with it all sessions behind it.
    mutating func pause(_ id: UUID) throws(UploadError) -> [Event] {
        let index = try open(id, "paused")
        guard !sessions[index].isGivingWay else {
            throw refusal(id, "is giving its turn to another; pause the other session, or try again in a moment")
        }
        sessions[index].isPaused = true
        return [event(.changed, index)]
    }

    mutating func resume(_ id: UUID) throws(UploadError) -> [Event] {
        let index = try open(id, "resumed")
        guard sessions[index].isPaused else { throw refusal(id, "is not paused") }
        sessions[index].isPaused = false
        return [event(.changed, index)]
    }

    /// Puts the session before all others: the session that has its turn gives it back, and has it again afterwards. A
    /// session that was cancelled or failed runs again, with those of its files that did not complete.
    mutating func run(_ id: UUID) throws(UploadError) -> [Event] {
        let index = try index(of: id)
        guard sessions[index].state != .finished else {
            throw refusal(id, "has finished: there is nothing left to run")
        }
        guard !sessions[index].isCancelling else { throw refusal(id, "is being cancelled; run it when it has ended") }
        guard !sessions[index].isIdle || sessions[index].files.contains(where: { $0.state != .completed }) else {
            throw refusal(id, "waits for files; add some, and they run")
        }
        let front = try front()
        if let front, sessions[front].id != id, sessions[front].isPaused {
            throw refusal(
                id,
                "cannot run: \(sessions[front].id.uuidString.lowercased()) is paused and holds the queue; resume or cancel that session"
            )
        }
        return try telling { list throws(UploadError) in
            if list.sessions[index].state.isEnd || list.sessions[index].isIdle { list.sessions[index].beginAgain() }
            list.sessions[index].isPaused = false
            list.sessions[index].isGivingWay = false
            if let front, front != index, !list.sessions[index].isIdle, !list.sessions[front].isCancelling {
                list.sessions[front].isGivingWay = true
            }
            list.put(id, at: 0)
            return []
        }
    }

    /// Interrupts the session; it runs again by itself, when all other sessions that are in line now have had their
    /// turn.
    mutating func stop(_ id: UUID) throws(UploadError) -> [Event] {
        let index = try open(id, "stopped")
        let front = try front()
        return try telling { list throws(UploadError) in
            list.sessions[index].isPaused = false
            if front == index || list.sessions[index].state.isActive { list.sessions[index].isGivingWay = true }
            list.put(id, at: list.line.count)
            return []
        }
    }

    /// Notes that the session gave its turn back.
    mutating func gaveWay(_ id: UUID) -> [Event] {
        guard let index = sessions.firstIndex(where: { $0.id == id }), sessions[index].isGivingWay else { return [] }
        let before = sessions[index].state
        sessions[index].isGivingWay = false
        sessions[index].hasGivenWay = true
        for file in sessions[index].files.indices where !sessions[index].files[file].state.isEnd {
            sessions[index].files[file].state = .waiting
        }
        sessions[index].state = .queued
        let kinds = Self.kinds(from: before, to: .queued, isActivated: before.isActive)
        return (before == .queued ? [.changed] : kinds).map { event($0, index) }
    }

    private mutating func put(_ id: UUID, at place: Int) {
        line.removeAll { $0 == id }
        line.insert(id, at: min(place, line.count))
        isToArrange = sessions.contains { $0.isHandedOver && !$0.state.isEnd }
    }

    /// The session that has its turn, as far as this program knows.
    private func front() throws(UploadError) -> Int? {
        guard let first, self[first]?.isHandedOver == true else { return nil }
        return try index(of: first)
    }

    func open(_ id: UUID, _ done: String) throws(UploadError) -> Int {
        let index = try index(of: id)
        let session = sessions[index]
        if session.state.isEnd {
            throw refusal(id, "is \(session.state.rawValue) already, so it cannot be \(done); run it to begin again")
        }
        if session.isCancelling { throw refusal(id, "is being cancelled already") }
        return index
    }

    func refusal(_ id: UUID, _ why: String) -> UploadError {
        UploadError(.rejected, "the session \(id.uuidString.lowercased()) \(why)")
    }
}

extension TransferSession {
    /// Ends the files that the broker did not get at once. A cancellation also ends a pause, and the giving back of a
    /// turn.
    mutating func beginCancelling() {
        isCancelling = true
        isPaused = false
        isGivingWay = false
        for index in files.indices where !files[index].state.isEnd {
            files[index].state = files[index].job == nil ? .cancelled : .cancelling
        }
    }

    fileprivate mutating func beginAgain() {
        run += 1
        state = .queued
        isHandedOver = false
        isCancelTold = false
        isPauseTold = false
        hasGivenWay = false
        for index in files.indices where files[index].state != .completed {
            files[index].state = .waiting
            files[index].bytesDone = 0
            // The key may have a different object when the file runs again.
            if files[index].other != nil { files[index].size = nil }
            files[index].failure = nil
            files[index].job = nil
            files[index].isAccepted = false
        }
    }
}
