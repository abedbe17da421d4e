import Foundation
import Uploads

/// Sessions that stay open: files are added to them while they run, and when all files have ended the session waits for
/// more.
extension SessionList {
    /// The session that has its turn, or has it next. A session that waits for files is passed over.
    var first: UUID? { line.first { self[$0]?.isIdle == false } }

    /// Adds files behind the session's other files. A session that waited for files and stood before the session that
    /// has its turn now comes right behind that one.
    mutating func add(
        _ files: [TransferSession.File], to id: UUID, _ direction: TransferDirection
    ) throws(UploadError) -> [Event] {
        let index = try open(id, "added to")
        guard sessions[index].staysOpen else {
            throw refusal(id, "takes no more files: it was not enqueued to stay open, or was finished; enqueue another")
        }
        guard sessions[index].direction == direction else {
            throw refusal(
                id, "takes \(sessions[index].direction.rawValue)s only; enqueue another for \(direction.rawValue)s")
        }
        if sessions[index].isIdle { letPass(id) }
        sessions[index].files += files
        // The new files have to be paused, too.
        if sessions[index].isPaused { sessions[index].isPauseTold = false }
        return [event(.changed, index)]
    }

    /// Takes no more files: the session ends when its files have ended.
    mutating func finish(_ id: UUID) throws(UploadError) -> [Event] {
        let index = try open(id, "finished")
        guard sessions[index].staysOpen else { throw refusal(id, "does not stay open: it ends when its files have") }
        sessions[index].staysOpen = false
        let events = settle(index)
        return events.isEmpty ? [event(.changed, index)] : events
    }

    /// Moves a session behind the session that has its turn, which stays at the front of the queue.
    private mutating func letPass(_ id: UUID) {
        guard let first, self[first]?.isHandedOver == true, let place = line.firstIndex(of: id),
            let other = line.firstIndex(of: first), place < other
        else { return }
        line.remove(at: place)
        line.insert(id, at: other)
    }
}
