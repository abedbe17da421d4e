import Foundation
import Synchronization
import Uploads

/// Delegates' queues in memory, which refuse while a test says so.
final class MemoryQueues: DelegateQueues {
    struct Message: Sendable {
        let queue: String
        let id: String
        let body: Data
    }

    private let state = Mutex((isFull: false, messages: [Message]()))

    var messages: [Message] { state.withLock { $0.messages } }

    var isFull: Bool {
        get { state.withLock { $0.isFull } }
        set { state.withLock { $0.isFull = newValue } }
    }

    func put(_ body: Data, of event: UploadEvent, into delegate: String) async throws(UploadError) {
        let isTaken = state.withLock { state in
            guard !state.isFull else { return false }
            state.messages.append(Message(queue: delegate, id: event.id, body: body))
            return true
        }
        guard isTaken else { throw UploadError(.serverFailure, "full", retry: .afterBackoff) }
    }
}
