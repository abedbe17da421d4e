import CRabbitMQ
import Glibc
import Synchronization

/// The commands of a program's tasks for the connection's thread, in order. The thread is woken once for a batch.
final class Inbox: Sendable {
    private struct State {
        var commands: [Command] = []
        var isClosed = false
        var posts = 0
        var postBytes = 0
    }

    /// How many unconfirmed posts may wait to be sent, and how many bytes of their bodies.
    static let postsMaximum = 1024
    static let postBytesMaximum = 8 << 20

    /// Readable when there is a command in the inbox.
    let wakeDescriptor: CInt
    private let state = Mutex(State())

    init() throws(RabbitMQError) {
        wakeDescriptor = longshore_eventfd()
        guard wakeDescriptor >= 0 else {
            throw RabbitMQError(
                .connectionRefused, "no event descriptor can be made (errno \(errno)): raise the limit of open files")
        }
    }

    deinit { close(wakeDescriptor) }

    /// - Returns: false once the connection is closed; the command is then not taken.
    @discardableResult
    func send(_ command: Command) -> Bool {
        let (isTaken, mustWake) = state.withLock { state in
            guard !state.isClosed else { return (false, false) }
            state.commands.append(command)
            return (true, state.commands.count == 1)
        }
        if mustWake { wake() }
        return isTaken
    }

    /// Takes an unconfirmed post unless too many wait already.
    func post(_ request: PublishRequest) {
        let mustWake = state.withLock { state in
            guard !state.isClosed, state.posts < Self.postsMaximum,
                state.postBytes + request.message.body.count <= Self.postBytesMaximum
            else { return false }
            state.posts += 1
            state.postBytes += request.message.body.count
            state.commands.append(.publish(request))
            return state.commands.count == 1
        }
        if mustWake { wake() }
    }

    /// Makes room again after a post was sent or dropped.
    func postDone(_ request: PublishRequest) {
        state.withLock {
            $0.posts -= 1
            $0.postBytes -= request.message.body.count
        }
    }

    /// Swaps the commands that have come for the empty `commands`, whose room is used again.
    func takeAll(_ commands: inout [Command]) {
        var counter: UInt64 = 0
        _ = read(wakeDescriptor, &counter, 8)
        state.withLock { swap(&$0.commands, &commands) }
    }

    /// Takes no more commands. - Returns: the commands that had come.
    func shut() -> [Command] {
        state.withLock { state in
            state.isClosed = true
            defer { state.commands = [] }
            return state.commands
        }
    }

    private func wake() {
        var one: UInt64 = 1
        _ = write(wakeDescriptor, &one, 8)
    }
}
