import Foundation
import Uploads

/// The whole state of a transfer queue, and its rules: orders and news go in, events come out. Pure.
struct SessionList: Hashable, Codable, Sendable {
    typealias Event = TransferQueueEvent

    /// Whether the queue is to run.
    var isStarted = false
    /// Whether the notifier was told to stop the queue.
    var isStoppedAtBroker = false
    /// Whether the broker's serial line may have another order than ``line``.
    var isToArrange = false
    private(set) var accounts: [TransferAccount] = []
    /// The listed sessions, in the order of the list.
    var sessions: [TransferSession] = []
    /// The saved sessions, which are not listed yet.
    private(set) var saved: [TransferSession] = []
    /// The listed sessions that have not ended, in the order in which they run. It differs from the order of the list
    /// when a session was run before its turn.
    var line: [UUID] = []

    // MARK: Lookup

    subscript(id: UUID) -> TransferSession? {
        sessions.first { $0.id == id } ?? saved.first { $0.id == id }
    }

    func index(of id: UUID) throws(UploadError) -> Int {
        guard let index = sessions.firstIndex(where: { $0.id == id }) else {
            let why = saved.contains { $0.id == id } ? "is saved and not enqueued; enqueue it first" : "is not known"
            throw UploadError(.rejected, "the session \(id.uuidString.lowercased()) \(why)")
        }
        return index
    }

    /// The queue's own copies of files that sessions name.
    var copies: Set<String> { Set((sessions + saved).flatMap(\.files).compactMap(\.content)) }

    func event(_ kind: Event.Kind, _ index: Int) -> Event {
        Event(kind: kind, session: sessions[index], index: index)
    }

    /// Adds a `changed` event for each session that changed without an event of its own.
    mutating func telling(
        _ body: (inout SessionList) throws(UploadError) -> [Event]
    ) throws(UploadError) -> [Event] {
        var shown = sessions
        var events = try body(&self)
        for event in events { event.apply(to: &shown) }
        for index in sessions.indices where shown[index] != sessions[index] { events.append(event(.changed, index)) }
        return events
    }

    // MARK: Accounts

    mutating func add(_ account: TransferAccount) {
        if !accounts.contains(account) { accounts.append(account) }
    }

    mutating func remove(_ account: TransferAccount) throws(UploadError) {
        let users = (sessions + saved).filter { $0.account == account }.map { $0.id.uuidString.lowercased() }
        guard users.isEmpty else {
            throw UploadError(
                .rejected,
                "the account '\(account)' is used by the sessions \(users.joined(separator: ", ")); remove them first")
        }
        accounts.removeAll { $0 == account }
    }

    // MARK: Sessions

    mutating func save(_ session: TransferSession) {
        add(session.account)
        saved.append(session)
    }

    /// Lists a saved session.
    mutating func enqueue(_ id: UUID, at place: TransferPlace) throws(UploadError) -> [Event] {
        guard let kept = saved.firstIndex(where: { $0.id == id }) else {
            throw UploadError(.rejected, "the session \(id.uuidString.lowercased()) is not among the saved ones")
        }
        var session = saved.remove(at: kept)
        session.state = .queued
        let index = place.index(among: sessions.count)
        sessions.insert(session, at: index)
        let behind = Set(sessions[(index + 1)...].map(\.id))
        let follower = line.firstIndex { behind.contains($0) } ?? line.count
        line.insert(id, at: max(follower, lowestFreePlace))
        return [event(.added, index)]
    }

    /// The first place behind the session that has its turn, which stays at the front of the queue.
    private var lowestFreePlace: Int {
        guard let first, self[first]?.isHandedOver == true else { return 0 }
        return (line.firstIndex(of: first) ?? -1) + 1
    }

    /// - Returns: the events to report, and the session if it is removed at once. A session whose jobs the broker has
    ///   is removed after their cancellation.
    mutating func remove(_ id: UUID) throws(UploadError) -> (events: [Event], value: TransferSession?) {
        if let kept = saved.firstIndex(where: { $0.id == id }) { return ([], saved.remove(at: kept)) }
        let index = try index(of: id)
        let session = sessions[index]
        guard !session.state.isActive else {
            throw UploadError(
                .rejected,
                "the session \(id.uuidString.lowercased()) is running; cancel it, and remove it when that is done")
        }
        if !session.state.isEnd, !session.openJobs.isEmpty {
            sessions[index].isRemoving = true
            sessions[index].beginCancelling()
            let events = settle(index)
            return (events.isEmpty ? [event(.changed, index)] : events, nil)
        }
        return ([takeOut(index)], session)
    }

    mutating func takeOut(_ index: Int) -> Event {
        let told = event(.removed, index)
        sessions.remove(at: index)
        line.removeAll { $0 == told.session.id }
        return told
    }
}
