import Synchronization

/// A transaction that is under way on one connection.
public final class Transaction: Sendable {
    private let connection: Connection
    private let beginning: Statement
    private let isBegun = Mutex(false)

    init(on connection: Connection, _ isolation: Isolation) {
        self.connection = connection
        beginning = isolation.beginning
    }

    /// How far a transaction is kept apart from others (PostgreSQL, section 13.2).
    public enum Isolation: Hashable, Sendable {
        case readCommitted, repeatableRead, serializable
        /// Sees one state of the database, and changes nothing.
        case snapshot

        fileprivate var beginning: Statement {
            switch self {
            case .readCommitted: "BEGIN ISOLATION LEVEL READ COMMITTED"
            case .repeatableRead: "BEGIN ISOLATION LEVEL REPEATABLE READ"
            case .serializable: "BEGIN ISOLATION LEVEL SERIALIZABLE"
            case .snapshot: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
            }
        }
    }

    /// Carries out statements in one round trip, the first ones together with the transaction's beginning.
    /// - Throws: as ``Connection/execute(_:)``. After an error of a statement the server refuses all further ones of the transaction.
    @discardableResult
    public func execute(_ statements: [Statement]) async throws(PostgreSQLError) -> [Rows] {
        guard !statements.isEmpty else { return [] }
        let (request, isFirst) = begin(statements)
        let answers = try await connection.answers(to: request)
        return isFirst ? Array(answers.dropFirst()) : answers
    }

    /// Carries out one statement.
    @discardableResult
    public func execute(_ statement: Statement) async throws(PostgreSQLError) -> Rows {
        try Connection.only(await execute([statement]))
    }

    /// Does the same as ``execute(_:)`` and blocks the calling thread, which must not be one that runs tasks.
    @discardableResult
    public func executeBlocking(_ statements: [Statement]) throws(PostgreSQLError) -> [Rows] {
        guard !statements.isEmpty else { return [] }
        let (request, isFirst) = begin(statements)
        let answers = try request.promise.wait()
        return isFirst ? Array(answers.dropFirst()) : answers
    }

    /// Requests are begun under the lock, so that the transaction's beginning comes first.
    private func begin(_ statements: [Statement]) -> (request: Request, isFirst: Bool) {
        isBegun.withLock { isBegun in
            defer { isBegun = true }
            return (connection.begin(isBegun ? statements : [beginning] + statements), !isBegun)
        }
    }

    /// Ends the transaction from a thread that may wait: commits it, or rolls it back if `body` throws.
    func runBlocking<Value>(_ body: (Transaction) throws -> Value) throws -> Value {
        let value: Value
        do {
            value = try body(self)
        } catch {
            if isBegun.withLock(\.self), connection.failure == nil { _ = try? connection.executeBlocking(["ROLLBACK"]) }
            throw error
        }
        guard isBegun.withLock(\.self) else { return value }
        try check(try connection.executeBlocking(["COMMIT"]))
        return value
    }

    /// - Throws: with `isOutcomeUnknown` if the connection was lost before the answer came.
    func commit() async throws(PostgreSQLError) {
        guard isBegun.withLock(\.self) else { return }
        try check(try await connection.executeUncancelled(["COMMIT"]))
    }

    /// The server answers the COMMIT of a failed transaction by rolling it back, without an error.
    private func check(_ answers: [Rows]) throws(PostgreSQLError) {
        guard answers.first?.command == "COMMIT" else {
            throw PostgreSQLError(
                .serverFailed, "the server rolled the transaction back, because a statement of it had failed")
        }
    }

    /// If this fails, the connection is lost or left in the transaction, and the pool closes it.
    func rollBack() async {
        guard isBegun.withLock(\.self), connection.failure == nil else { return }
        _ = try? await connection.executeUncancelled(["ROLLBACK"])
    }
}
