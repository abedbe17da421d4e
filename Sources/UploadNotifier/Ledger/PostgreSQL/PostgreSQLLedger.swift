package import Foundation
package import Logging
import PostgreSQL
import Synchronization
package import Uploads

/// The ledger in a PostgreSQL database. The notifiers that reach it divide the shards among themselves (`PostgreSQLLeases`).
package final class PostgreSQLLedger: Sendable {
    package let path: String
    let client: PostgreSQLClient
    let leases: PostgreSQLLeases
    let shards: Shards
    let rows: DamagedRows
    let decoded = Ledger.Decoded()
    /// Owed actions that were published and confirmed; the next transaction strikes them off.
    private let settled = Mutex<[OwedAction.ID]>([])
    /// The tokens of transactions that are known to have taken effect; the next transaction removes them.
    private let commits = Mutex<[UUID]>([])

    let delegatesRead = DelegatesRead()
    let horizon = EventHorizon()

    /// The longest time that settled actions wait for another transaction.
    private static let settlingDelay = Duration.seconds(1)

    private init(_ client: PostgreSQLClient, _ leases: PostgreSQLLeases, _ shards: Shards, _ logger: Logger) {
        self.client = client
        self.leases = leases
        self.shards = shards
        path = client.configuration.description
        rows = DamagedRows(logger: logger)
    }

    /// Opens the ledger, or makes its tables.
    /// - Parameters:
    ///   - password: instead of one in the connection string.
    ///   - schema: the schema of the tables, of `[a-z0-9_]`.
    ///   - shards: the shards of the namespace.
    ///   - isSharing: whether this notifier takes shards at once, and not when ``share(_:)`` says so.
    ///   - logger: logs rows that cannot be read.
    /// - Throws: `misconfigured` for what an operator has to repair; `serverFailure` for an obstacle that may pass.
    package static func open(
        _ connectionString: String, password: String? = nil, schema: String = standardSchema, shards: Shards = .one,
        isSharing: Bool = true, logger: Logger = Ledger.noLogger
    ) async throws(UploadError) -> PostgreSQLLedger {
        let configuration = try configuration(connectionString, password: password, schema: schema)
        do {
            var migrating = configuration
            migrating.answerTimeout = nil
            let migrator = PostgreSQLClient(migrating, connections: 1)
            do {
                try await PostgreSQLSchema.bringUpToDate(migrator, schema: schema)
            } catch {
                await migrator.close()
                throw error
            }
            await migrator.close()
            let leases = try await PostgreSQLLeases.begin(configuration, shards: shards, isSharing: isSharing)
            return PostgreSQLLedger(PostgreSQLClient(configuration), leases, shards, logger)
        } catch {
            throw PostgreSQLFailure.describe(error, path: configuration.description)
        }
    }

    package static let standardSchema = "longshore"

    static func configuration(
        _ connectionString: String, password: String?, schema: String
    ) throws(UploadError) -> PostgreSQLConfiguration {
        do throws(PostgreSQLError) {
            var configuration = try PostgreSQLConfiguration(connectionString, password: password)
            configuration.settings = [
                "search_path": "\(schema),public",
                // Compiling a query takes longer than all queries of a ledger.
                "jit": "off",
                // A transaction of a process that was stopped, or cannot be reached, holds up the notifier that takes over.
                "idle_in_transaction_session_timeout": "5s", "tcp_keepalives_idle": "10",
                "tcp_keepalives_interval": "5", "tcp_keepalives_count": "3", "tcp_user_timeout": "30s",
            ]
            return configuration
        } catch {
            throw PostgreSQLFailure.describe(error, path: "in PostgreSQL")
        }
    }

    package func close() async {
        // If this fails, nothing is lost: the actions are published once more.
        try? await strikeOff()
        await client.close()
        await leases.giveBack()
    }

    package func kept(of shards: Shards) -> Set<Int> { leases.kept }

    package func untilKept(otherThan shards: Set<Int>) async { await leases.untilKept(otherThan: shards) }

    package func share(_ isSharing: Bool) async { await leases.share(isSharing) }

    package func giveSurplus() async { await leases.giveSurplus() }

    package var isShared: Bool { leases.isShared }

    // MARK: Transactions

    /// Makes one transaction in its turn: decisions about the same jobs come one after the other.
    /// - Parameters:
    ///   - locksAll: whether it waits for the transactions of all shards.
    ///   - needsDelegates: whether it depends on the registered delegates.
    /// - Throws: ``DelegatesChanged`` as the cause if it needs the delegates and they have changed since they were read.
    func write<Value: Sendable>(
        locksAll: Bool = false, needsDelegates: Bool = false,
        _ body: @escaping @Sendable (PostgreSQLStore) throws -> Value
    ) async throws(UploadError) -> Value {
        let (taken, effective) = (takeSettled(), commits.withLock { $0.take() })
        let (token, held) = (UUID(), leases.held)
        let made = Mutex<Value?>(nil)
        do {
            do {
                let known = needsDelegates ? delegatesRead.last : nil
                try await client.blockingTransaction {
                    [rows, decoded, leases, shards, path, delegatesRead] transaction in
                    let store = PostgreSQLStore(
                        transaction: transaction, rows: rows, decoded: decoded, shards: shards, leases: held,
                        delegatesRead: delegatesRead)
                    let lost = try store.begin(token, strikingOff: taken, forgetting: effective, locksAll: locksAll)
                    guard lost.isEmpty else {
                        leases.noteLost(lost)
                        let numbers = lost.sorted().map(String.init).joined(separator: ", ")
                        throw UploadError(
                            .serverFailure,
                            "another notifier has taken over the shards \(numbers) of the ledger \(path)")
                    }
                    if let known, try store.delegatesChange() != known {
                        throw UploadError(
                            .interrupted, "the registered delegates have changed", cause: DelegatesChanged())
                    }
                    let value = try body(store)
                    made.withLock { $0 = value }
                }
            } catch let error as PostgreSQLError where error.isOutcomeUnknown {
                // Without a value the transaction was not at its COMMIT.
                guard made.withLock({ $0 != nil }), try await tookEffect(token) else { throw error }
            }
            commits.withLock { $0.append(token) }
            guard let value = made.withLock(\.self) else {
                throw UploadError(.unknown, "a transaction of the ledger has no value")
            }
            return value
        } catch {
            settled.withLock { $0 += taken }
            commits.withLock { $0 += effective }
            throw PostgreSQLFailure.describe(error, path: path)
        }
    }

    /// Finds out whether a transaction took effect whose COMMIT got no answer, as soon as the server can be asked: until then this notifier
    /// cannot know what it owes. While the transaction still runs, its token keeps the same token from being added, so the question waits.
    private func tookEffect(_ token: UUID) async throws -> Bool {
        while true {
            do {
                return try await client.execute(
                    "INSERT INTO commits (token) VALUES (\(token)) ON CONFLICT DO NOTHING"
                ).affectedCount == 0
            } catch {
                guard error.isRetryable else { throw error }
                try await Task.sleep(for: .milliseconds(500))
            }
        }
    }

    /// Makes one transaction that sees one state of the ledger and changes nothing. One whose connection is lost is made once more: the server
    /// ends sessions that wait for this program too long, and a server that was started again knows none.
    func read<Value: Sendable>(
        _ body: (Transaction) async throws -> Value
    ) async throws(UploadError) -> Value {
        do {
            do {
                return try await client.transaction(.snapshot, body)
            } catch let error as PostgreSQLError where error.isLostSession {
                return try await client.transaction(.snapshot, body)
            }
        } catch {
            throw PostgreSQLFailure.describe(error, path: path)
        }
    }

    /// Carries out one statement.
    @discardableResult
    func query(_ statement: Statement) async throws(UploadError) -> Rows {
        do {
            return try await client.execute(statement)
        } catch {
            throw PostgreSQLFailure.describe(error, path: path)
        }
    }

    /// Reads the rows of an answer.
    func map<Value>(_ rows: Rows, _ body: (Row) throws -> Value?) throws(UploadError) -> [Value] {
        do {
            return try rows.compactMap(body)
        } catch {
            throw PostgreSQLFailure.describe(error, path: path)
        }
    }

    // MARK: Settled actions

    /// Notes actions as confirmed, for the next transaction: a commit of their own would cost as much as recording a batch.
    package func settle(_ owed: [OwedAction.ID]) {
        guard !owed.isEmpty else { return }
        let isFirst = settled.withLock { settled in
            defer { settled += owed }
            return settled.isEmpty
        }
        guard isFirst else { return }
        Task {
            try? await Task.sleep(for: Self.settlingDelay)
            if settled.withLock({ !$0.isEmpty }) { try? await strikeOff() }
        }
    }

    /// Strikes off all settled actions.
    func strikeOff() async throws(UploadError) { try await write { _ in } }

    private func takeSettled() -> [OwedAction.ID] { settled.withLock { $0.take() } }
}

extension PostgreSQLError {
    /// Whether the session has ended, also by the server's `idle_in_transaction_session_timeout` (25P03).
    fileprivate var isLostSession: Bool { code == .connectionLost || sqlState == "25P03" }
}

extension Array {
    /// Empties the array.
    fileprivate mutating func take() -> [Element] {
        defer { self = [] }
        return self
    }
}

extension PostgreSQLLedger: LedgerTransactions {
    package func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (any LedgerStore) throws -> Value
    ) async throws(UploadError) -> Value {
        try await write(needsDelegates: true) { store in try body(store) }
    }
}

extension PostgreSQLLedger: DeliveryTransactions {
    package func deliveryTransaction<Value: Sendable>(
        _ body: @escaping @Sendable (any DeliveryStore) throws -> Value
    ) async throws(UploadError) -> Value {
        try await write { store in try body(store) }
    }
}

extension PostgreSQLLedger: NotifierLedger {
    package func identity() async throws(UploadError) -> LedgerIdentity {
        do { return try await Self.identity(client, path: path) } catch {
            throw PostgreSQLFailure.describe(error, path: path)
        }
    }

    static func identity(_ client: PostgreSQLClient, path: String) async throws -> LedgerIdentity {
        let found = try await client.execute("SELECT id, opening, pending FROM identity")
        let identities = try found.compactMap { row -> LedgerIdentity? in
            let (id, opening): (String, String) = (try row.get("id"), try row.get("opening"))
            let pending: String? = try row.getIfPresent("pending")
            guard let id = UUID(uuidString: id), let opening = UUID(uuidString: opening),
                pending == nil || pending.flatMap(UUID.init(uuidString:)) != nil
            else { return nil }
            return LedgerIdentity(id: id, opening: opening, pending: pending.flatMap(UUID.init(uuidString:)))
        }
        guard let identity = identities.first else {
            throw UploadError(
                .misconfigured,
                "another program has changed which ledger \(path) is (table 'identity'); put a backup in its place, or start the "
                    + "notifier with a new one, and let that take over with 'uploadctl ledger adopt'")
        }
        return identity
    }

    /// The notifier of the first shard.
    package var mayClaim: Bool { leases.held[0] != nil }

    package var isAlone: Bool { !leases.isShared }

    package func notePending(_ opening: UUID) async throws(UploadError) {
        try await write { _ = try $0.query("UPDATE identity SET pending = \(opening.text)") }
    }

    package func noteOpened(_ opening: UUID) async throws(UploadError) {
        try await write { _ = try $0.query("UPDATE identity SET opening = \(opening.text), pending = NULL") }
    }
}

extension PostgreSQLLedger: LedgerBackup {
    package func backup(to destination: String) async throws(UploadError) -> Int64 {
        throw UploadError(
            .rejected,
            "the ledger is in PostgreSQL (\(path)): back it up with PostgreSQL's own tools, such as pg_dump or pg_basebackup"
        )
    }
}
