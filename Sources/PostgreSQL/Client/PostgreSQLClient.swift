import Foundation
import Synchronization

/// A pool of connections to a server. It makes them when they are needed, and again when they were lost.
///
/// While the server cannot be reached, each call waits for one attempt and throws its error. The pause before an attempt grows with
/// each failure, up to 10 s.
public final class PostgreSQLClient: Sendable {
    private struct State {
        var machine: PoolMachine
        var connections: [UInt64: Connection] = [:]
        var callers: [UInt64: CheckedContinuation<Result<UInt64, PostgreSQLError>, Never>] = [:]
        /// Callers that were cancelled before they began to wait.
        var cancelled: Set<UInt64> = []
        var openings: [UInt64: Task<Void, Never>] = [:]
        var lastID: UInt64 = 0
        var lastError = ConnectionCore.closed
        var ended: [CheckedContinuation<Void, Never>] = []

        mutating func makeID() -> UInt64 {
            lastID += 1
            return lastID
        }
    }

    public let configuration: PostgreSQLConfiguration
    private let state: Mutex<State>

    /// - Parameter connections: the most connections at once, at least 1.
    public init(_ configuration: PostgreSQLConfiguration, connections: Int = 8) {
        self.configuration = configuration
        state = Mutex(State(machine: PoolMachine(countMaximum: connections)))
    }

    // MARK: Use

    /// Carries out statements on any connection: see ``Connection/execute(_:)``.
    @discardableResult
    public func execute(_ statements: [Statement]) async throws(PostgreSQLError) -> [Rows] {
        let lease = try await acquire()
        do throws(PostgreSQLError) {
            let answers = try await lease.connection.execute(statements)
            release(lease, after: nil)
            return answers
        } catch {
            release(lease, after: error)
            throw error
        }
    }

    /// Carries out one statement on any connection.
    @discardableResult
    public func execute(_ statement: Statement) async throws(PostgreSQLError) -> Rows {
        try Connection.only(await execute([statement]))
    }

    /// Lends a connection. One that is lost, or has a transaction open when it comes back, is closed.
    public func withConnection<Value: Sendable>(_ body: (Connection) async throws -> Value) async throws -> Value {
        let lease = try await acquire()
        do {
            let value = try await body(lease.connection)
            release(lease, after: nil)
            return value
        } catch {
            release(lease, after: error)
            throw error
        }
    }

    /// Runs `body` in a transaction, which is committed when it returns and rolled back when it throws.
    /// - Throws: what `body` throws, or the error of the COMMIT. With `isOutcomeUnknown` the transaction may have taken effect: only the
    ///   data says whether it did.
    public func transaction<Value: Sendable>(
        _ isolation: Transaction.Isolation = .readCommitted, _ body: (Transaction) async throws -> Value
    ) async throws -> Value {
        try await withConnection { connection in
            let transaction = Transaction(on: connection, isolation)
            let value: Value
            do {
                value = try await body(transaction)
            } catch {
                await transaction.rollBack()
                throw error
            }
            try await transaction.commit()
            return value
        }
    }

    /// Does the same as ``transaction(_:_:)`` with a body that waits for each answer on a thread of its own.
    public func blockingTransaction<Value: Sendable>(
        _ isolation: Transaction.Isolation = .readCommitted, _ body: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value {
        try await withConnection { connection in
            try await withCheckedThrowingContinuation { waiter in
                Thread.detachNewThread {
                    let transaction = Transaction(on: connection, isolation)
                    waiter.resume(with: Result { try transaction.runBlocking(body) })
                }
            }
        }
    }

    /// Takes no more calls, and waits until the present ones have ended and all connections are closed.
    public func close() async {
        let openings = state.withLock { state in Array(state.openings.values) }
        perform { $0.machine.close() }
        for opening in openings { opening.cancel() }
        await withCheckedContinuation { waiter in
            let hasEnded = state.withLock { state in
                if !state.machine.hasEnded { state.ended.append(waiter) }
                return state.machine.hasEnded
            }
            if hasEnded { waiter.resume() }
        }
    }

    // MARK: The pool

    private struct Lease {
        var id: UInt64
        var connection: Connection
    }

    private func acquire() async throws(PostgreSQLError) -> Lease {
        let caller = state.withLock { $0.makeID() }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                perform { state in
                    state.callers[caller] = waiter
                    let actions = state.machine.acquire(caller) { state.connections[$0]?.failure == nil }
                    return state.cancelled.remove(caller) == nil ? actions : actions + state.machine.cancel(caller)
                }
            }
        } onCancel: {
            perform { state in
                if state.callers[caller] == nil { state.cancelled.insert(caller) }
                return state.machine.cancel(caller)
            }
        }
        state.withLock { _ = $0.cancelled.remove(caller) }
        let id = try outcome.get()
        guard let connection = state.withLock({ $0.connections[id] }) else { throw ConnectionCore.closed }
        return Lease(id: id, connection: connection)
    }

    /// A connection to a server that has become read-only is closed as well: the next one may reach the server that took over.
    private func release(_ lease: Lease, after error: (any Error)?) {
        let connection = lease.connection
        let isReadOnly = (error as? PostgreSQLError)?.code == .readOnly
        perform { state in
            state.machine.release(
                lease.id, isUsable: connection.failure == nil && !connection.isInTransaction && !isReadOnly)
        }
    }

    /// Asks the machine, and carries out what it answers: values under the lock, calls after it.
    private func perform(_ ask: (inout State) -> [PoolMachine.Action]) {
        let effects = state.withLock { state -> [@Sendable () -> Void] in
            var effects: [@Sendable () -> Void] = []
            for action in ask(&state) {
                switch action {
                case .hand(let connection, let caller):
                    let waiter = state.callers.removeValue(forKey: caller)
                    effects.append { waiter?.resume(returning: .success(connection)) }
                case .fail(let caller, let reason):
                    let waiter = state.callers.removeValue(forKey: caller)
                    let error = Self.error(reason, state.lastError)
                    effects.append { waiter?.resume(returning: .failure(error)) }
                case .close(let id):
                    let connection = state.connections.removeValue(forKey: id)
                    effects.append { withExtendedLifetime(connection) {} }
                case .open(let failures):
                    let id = state.makeID()
                    state.openings[id] = Task { await self.open(id, failures) }
                }
            }
            if state.machine.hasEnded {
                let ended = state.ended
                state.ended = []
                effects.append { for waiter in ended { waiter.resume() } }
            }
            return effects
        }
        for effect in effects { effect() }
    }

    private static func error(_ reason: PoolMachine.Reason, _ last: PostgreSQLError) -> PostgreSQLError {
        switch reason {
        case .cancelled: PostgreSQLError(.cancelled, "the calling task was cancelled; nothing was sent")
        case .closed: PostgreSQLError(.closed, "the client was closed by this program")
        case .notOpened: last
        }
    }

    private func open(_ id: UInt64, _ failures: Int) async {
        do {
            if failures > 0 { try await Task.sleep(for: Self.pause(after: failures)) }
            let connection = try await Connection.open(configuration)
            perform { state in
                state.openings[id] = nil
                state.connections[id] = connection
                return state.machine.opened(id)
            }
        } catch {
            perform { state in
                state.openings[id] = nil
                state.lastError = error as? PostgreSQLError ?? ConnectionCore.closed
                return state.machine.openFailed()
            }
        }
    }

    /// Between half of the full pause and all of it, so that many clients do not come back in the same instant.
    private static func pause(after failures: Int) -> Duration {
        min(.seconds(10), .milliseconds(50) * (1 << min(failures, 10))) * Double.random(in: 0.5...1)
    }
}
