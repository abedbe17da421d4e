/// A connection to a server. A thread of its own owns it; any task may use it, one request is carried out after the other.
///
/// A connection that is lost is not made again (``PostgreSQLClient`` does that). The last reference to go closes it.
public final class Connection: Sendable {
    private let core: ConnectionCore

    private init(_ core: ConnectionCore) { self.core = core }

    deinit { core.abandon() }

    /// - Throws: `.connectionRefused`, `.loginRefused`, `.notFound`, `.overloaded` or `.timedOut`, with the reason of each host; `.closed` if
    ///   the calling task is cancelled.
    public static func open(_ configuration: PostgreSQLConfiguration) async throws(PostgreSQLError) -> Connection {
        let core = try ConnectionCore(configuration)
        try Driver.start(core)
        let connection = Connection(core)
        try await core.opened.value { core.abandon() }
        return connection
    }

    /// Why the connection takes no more statements; nil while it is alive, as far as is known.
    public var failure: PostgreSQLError? { core.failure }

    /// Whether the last call left a transaction open.
    public var isInTransaction: Bool { core.isInTransaction }

    /// The messages to the channels that this connection listens to; the oldest are dropped when more than 1024 wait. They end with the
    /// connection. For one reader.
    public var notifications: AsyncStream<Notification> { core.notifications }

    /// Carries out statements in one round trip, in one transaction unless they begin or end another one themselves: when one fails, the
    /// others take no effect.
    ///
    /// If the calling task is cancelled, the server is asked to give the statements up, and the connection is closed.
    /// - Returns: the answers, in the order of the statements.
    /// - Throws: the first statement's error that failed. With `isOutcomeUnknown` all may have been carried out.
    @discardableResult
    public func execute(_ statements: [Statement]) async throws(PostgreSQLError) -> [Rows] {
        guard !statements.isEmpty else { return [] }
        return try await answers(to: core.begin(statements))
    }

    func begin(_ statements: [Statement]) -> Request { core.begin(statements) }

    func answers(to request: Request) async throws(PostgreSQLError) -> [Rows] {
        try await request.promise.value { [core] in core.cancel(request.id) }
    }

    /// Carries out one statement.
    @discardableResult
    public func execute(_ statement: Statement) async throws(PostgreSQLError) -> Rows {
        try Self.only(await execute([statement]))
    }

    /// Does the same as ``execute(_:)`` and blocks the calling thread, which must not be one that runs tasks.
    @discardableResult
    public func executeBlocking(_ statements: [Statement]) throws(PostgreSQLError) -> [Rows] {
        guard !statements.isEmpty else { return [] }
        return try core.begin(statements).promise.wait()
    }

    /// Does not end with the calling task: for the end of a transaction, which must become known.
    func executeUncancelled(_ statements: [Statement]) async throws(PostgreSQLError) -> [Rows] {
        try await core.begin(statements).promise.value {}
    }

    static func only(_ answers: [Rows]) throws(PostgreSQLError) -> Rows {
        guard let answer = answers.first else { throw PostgreSQLError(.serverFailed, "a statement has no answer") }
        return answer
    }

    /// Closes the connection once all statements that were begun have ended. Call it once.
    public func close() async {
        core.close()
        // The connection's end is no failure, and a cancelled caller waits as well.
        _ = try? await core.ended.value {}
    }
}
