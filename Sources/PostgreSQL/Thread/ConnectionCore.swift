import CPostgreSQL
import Glibc
import Synchronization

/// A request of a task to the connection's thread.
struct Request: Sendable {
    let id: UInt64
    let statements: [Statement]
    let promise: Promise<[Rows]>
}

/// The state that a connection's handle and its thread share.
final class ConnectionCore: Sendable {
    private struct State {
        var requests: [Request] = []
        var cancelled: Set<UInt64> = []
        var isClosing = false
        var isAbandoned = false
        /// Why the connection takes no more requests.
        var failure: PostgreSQLError?
        var isInTransaction = false
    }

    struct Commands {
        var requests: [Request]
        var cancelled: Set<UInt64>
        var isClosing: Bool
        var isAbandoned: Bool
    }

    let configuration: PostgreSQLConfiguration
    /// Readable when there is a command.
    let wakeDescriptor: CInt
    let opened = Promise<Void>()
    let ended = Promise<Void>()
    let notifications: AsyncStream<Notification>
    let notificationContinuation: AsyncStream<Notification>.Continuation
    private let state = Mutex(State())
    private let lastID = Atomic<UInt64>(0)

    init(_ configuration: PostgreSQLConfiguration) throws(PostgreSQLError) {
        self.configuration = configuration
        (notifications, notificationContinuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1024))
        wakeDescriptor = longshore_postgresql_eventfd()
        guard wakeDescriptor >= 0 else {
            throw PostgreSQLError(
                .overloaded, "no event descriptor can be made (errno \(errno)): raise the limit of open files")
        }
    }

    deinit { Glibc.close(wakeDescriptor) }

    static var closed: PostgreSQLError { PostgreSQLError(.closed, "the connection was closed by this program") }

    /// Hands statements to the thread, behind all earlier ones.
    func begin(_ statements: [Statement]) -> Request {
        let request = Request(
            id: lastID.add(1, ordering: .relaxed).newValue, statements: statements, promise: Promise())
        let refusal = change { state -> PostgreSQLError? in
            if let failure = state.failure { return failure }
            if state.isClosing { return Self.closed }
            state.requests.append(request)
            return nil
        }
        if let refusal { request.promise.fail(refusal) }
        return request
    }

    func cancel(_ id: UInt64) { change { _ = $0.cancelled.insert(id) } }
    func close() { change { $0.isClosing = true } }
    func abandon() { change { $0.isAbandoned = true } }

    private func change<Value>(_ change: (inout sending State) -> sending Value) -> Value {
        let value = state.withLock { change(&$0) }
        var one: UInt64 = 1
        _ = write(wakeDescriptor, &one, 8)
        return value
    }

    func takeCommands() -> Commands {
        drain(wakeDescriptor)
        return state.withLock { state in
            defer {
                state.requests = []
                state.cancelled = []
            }
            return Commands(
                requests: state.requests, cancelled: state.cancelled, isClosing: state.isClosing,
                isAbandoned: state.isAbandoned)
        }
    }

    var isAbandonedOrClosing: Bool { state.withLock { $0.isAbandoned || $0.isClosing } }
    var failure: PostgreSQLError? { state.withLock(\.failure) }

    /// Whether the last request that ended left a transaction open.
    var isInTransaction: Bool {
        get { state.withLock(\.isInTransaction) }
        set { state.withLock { $0.isInTransaction = newValue } }
    }

    /// The last step of the thread. - Returns: the requests that it has not taken.
    func end(_ failure: PostgreSQLError) -> [Request] {
        state.withLock { state in
            state.failure = failure
            defer { state.requests = [] }
            return state.requests
        }
    }
}
