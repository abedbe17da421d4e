import Foundation
import PostgreSQL
import Synchronization
import Uploads

/// The shards for which this notifier decides. It has a shard until it gives it back, or has not renewed the lease for ``seconds``; all times
/// are the server's.
///
/// A lease alone keeps no notifier from writing, since one that was stopped for a while believes that it still has it. So each take-over counts
/// the shard's `epoch` up, and each transaction that decides compares the epochs of all its shards while it holds their rows.
final class PostgreSQLLeases: Sendable {
    /// How long a notifier keeps a lease that it does not renew, and counts as alive. The next notifier takes over within 10 s of a death.
    private static let seconds = 6.0
    private static let interval = Duration.milliseconds(1500)

    /// The rows of the table: as many as a namespace may have shards.
    static let rowCount = 16

    private let id = UUID()
    private let shards: Shards
    /// Apart from the ledger's connections: slow queries must not delay a renewal.
    private let client: PostgreSQLClient
    private let state = Mutex(State())

    private struct State {
        /// The epochs of the held shards.
        var held: [Int: Int64] = [:]
        /// Held shards that another notifier is to have as soon as nothing about them is under way here.
        var surplus: Set<Int> = []
        var notifiers = 1
        /// Whether the notifier renews and takes leases.
        var isSharing = true
        var waiting: [UUID: AsyncStream<Void>.Continuation] = [:]
        var keeping: Task<Void, Never>?
    }

    private init(_ client: PostgreSQLClient, _ shards: Shards) {
        self.client = client
        self.shards = shards
    }

    /// Enters the notifier, takes the free shards of its share, and goes on to renew and divide them.
    /// - Parameter isSharing: whether it does so at once, and not when ``share(_:)`` says so.
    static func begin(
        _ configuration: PostgreSQLConfiguration, shards: Shards, isSharing: Bool = true
    ) async throws -> PostgreSQLLeases {
        let leases = PostgreSQLLeases(PostgreSQLClient(configuration, connections: 1), shards)
        leases.state.withLock { $0.isSharing = isSharing }
        do { try await leases.keep() } catch {
            await leases.client.close()
            throw error
        }
        let keeping = Task { [weak leases] in
            while true {
                do { try await Task.sleep(for: interval) } catch { return }
                guard let leases else { return }
                // While the server cannot be reached no other notifier can take over either. Not cancelled with this task: the server might
                // carry out what the notifier no longer learns of, and a lease that it does not know it cannot give back.
                await Task { try? await leases.keep() }.value
            }
        }
        leases.state.withLock { $0.keeping = keeping }
        return leases
    }

    /// Takes all shards for a copy.
    /// - Returns: nil while a notifier has one of them.
    static func takeAll(_ configuration: PostgreSQLConfiguration) async throws -> PostgreSQLLeases? {
        guard let all = Shards(rowCount) else { return nil }
        let leases = try await begin(configuration, shards: all)
        guard leases.held.count == rowCount else {
            await leases.giveBack()
            return nil
        }
        return leases
    }

    /// Asks for the epochs of all shards, in the order of their numbers.
    static let epochs: Statement = "SELECT shard::bigint AS shard, epoch FROM shards ORDER BY shards.shard"

    /// Whether these are the epochs of ``held``.
    func areHeld(_ rows: Rows) throws -> Bool {
        var found: [Int: Int64] = [:]
        for row in rows { found[Int(clamping: try row.get("shard", as: Int64.self))] = try row.get("epoch") }
        return found == held
    }

    /// The epochs of the shards that this notifier may decide about.
    var held: [Int: Int64] { state.withLock(\.held) }

    /// The held shards that it is to keep.
    var kept: Set<Int> { state.withLock { Set($0.held.keys).subtracting($0.surplus) } }

    /// Whether another notifier is alive.
    var isShared: Bool { state.withLock { $0.notifiers > 1 } }

    /// Returns once ``kept`` is other than these, or when the task is cancelled.
    func untilKept(otherThan shards: Set<Int>) async {
        let id = UUID()
        while !Task.isCancelled {
            let (stream, continuation) = AsyncStream<Void>.makeStream()
            let isOther = state.withLock { state in
                state.waiting[id] = continuation
                return Set(state.held.keys).subtracting(state.surplus) != shards
            }
            if !isOther { for await _ in stream { break } }
            state.withLock { _ = $0.waiting.removeValue(forKey: id) }
            if isOther { return }
        }
    }

    /// Says whether the notifier takes part. One that cannot read its queues lets its leases run out, so that other notifiers take over.
    func share(_ isSharing: Bool) async {
        let isBeginning = state.withLock { state in
            defer { state.isSharing = isSharing }
            return isSharing && !state.isSharing
        }
        // If this fails, the next renewal does it.
        if isBeginning { try? await keep() }
    }

    /// Notes that another notifier has taken shards over.
    func noteLost(_ shards: some Sequence<Int>) {
        change { state in for shard in shards { state.held[shard] = nil } }
    }

    private func change(_ body: (inout State) -> Void) {
        let waiting = state.withLock { state in
            let before = (state.held, state.surplus)
            body(&state)
            state.surplus.formIntersection(state.held.keys)
            return before == (state.held, state.surplus) ? [] : Array(state.waiting.values)
        }
        for waiter in waiting { waiter.yield() }
    }

    /// Lets other notifiers take the shards that are not to be kept. Nothing about these may be under way here.
    func giveSurplus() async {
        let given = state.withLock { state in state.held.filter { state.surplus.contains($0.key) } }
        guard !given.isEmpty else { return }
        change { state in for shard in given.keys { state.held[shard] = nil } }
        await free(given)
    }

    /// Lets other notifiers take over at once, also when the calling task is cancelled.
    func giveBack() async {
        let keeping = state.withLock { $0.keeping }
        keeping?.cancel()
        await keeping?.value
        await Task { [client, id] in
            await free(held)
            // If this fails, the leases run out.
            _ = try? await client.execute("DELETE FROM notifiers WHERE id = \(id)")
            await client.close()
        }.value
    }

    private func free(_ leases: [Int: Int64]) async {
        guard !leases.isEmpty else { return }
        let rows = leases.sorted { $0.key < $1.key }
        _ = try? await client.execute(
            """
            UPDATE shards SET held_until = NULL, holder = NULL FROM \(Self.owned(rows)) WHERE shards.shard = own.shard
            """)
    }

    /// The rows of the leases, locked in the order in which transactions lock them.
    private static func owned(_ leases: [(key: Int, value: Int64)]) -> Statement {
        """
        (SELECT shards.shard FROM shards JOIN unnest(\(leases.map { Int64($0.key) }), \(leases.map(\.value)))
        AS lease (shard, epoch) USING (shard, epoch) ORDER BY shards.shard FOR UPDATE OF shards) AS own
        """
    }

    // A lease that ends later than any that is granted now is from another clock: a replica has taken over whose clock is behind.
    private static let isFree: Statement = """
        (held_until IS NULL OR held_until NOT BETWEEN clock_timestamp() AND clock_timestamp() + make_interval(secs => \(seconds)))
        """
    private static let isAlive: Statement = """
        seen BETWEEN clock_timestamp() - make_interval(secs => \(seconds)) AND clock_timestamp() + make_interval(secs => \(seconds))
        """

    /// Renews the leases, and takes or marks for others what the division of the shards says.
    private func keep() async throws {
        guard state.withLock(\.isSharing) else { return }
        let name = "\(ProcessInfo.processInfo.hostName), process \(ProcessInfo.processInfo.processIdentifier)"
        let end = "clock_timestamp() + make_interval(secs => \(Self.seconds))" as Statement
        let (before, count) = (held, Int64(shards.count))
        let leases = before.sorted { $0.key < $1.key }
        let answers = try await client.execute([
            """
            INSERT INTO notifiers (id, name, seen) VALUES (\(id), \(name), clock_timestamp())
            ON CONFLICT (id) DO UPDATE SET seen = clock_timestamp()
            """,
            "DELETE FROM notifiers WHERE NOT (\(Self.isAlive))",
            """
            UPDATE shards SET held_until = \(end) FROM \(Self.owned(leases)) WHERE shards.shard = own.shard
            RETURNING shards.shard::bigint AS shard
            """,
            "SELECT count(*) AS count FROM notifiers",
            "SELECT count(*) AS count FROM shards WHERE shard < \(count) AND \(Self.isFree)",
        ])
        let renewed = Set(try answers[2].map { Int(clamping: try $0.get("shard", as: Int64.self)) })
        let notifiers = Int(clamping: try answers[3][0].get("count", as: Int64.self))
        let free = Int(clamping: try answers[4][0].get("count", as: Int64.self))
        let division = LeaseDivision(held: renewed, freeCount: free, notifiers: notifiers, count: shards.count)
        var taken: [Int: Int64] = [:]
        if division.takes > 0 {
            let found = try await client.execute(
                """
                UPDATE shards SET epoch = epoch + 1, holder = \(name), held_until = \(end)
                WHERE shard IN (
                    SELECT shard FROM shards WHERE shard < \(count) AND \(Self.isFree) ORDER BY shard
                    LIMIT \(Int64(division.takes)) FOR UPDATE SKIP LOCKED)
                RETURNING shard::bigint AS shard, epoch
                """)
            for row in found { taken[Int(clamping: try row.get("shard", as: Int64.self))] = try row.get("epoch") }
        }
        change { state in
            for shard in before.keys where !renewed.contains(shard) && state.held[shard] == before[shard] {
                state.held[shard] = nil
            }
            state.held.merge(taken) { $1 }
            state.surplus = division.gives
            state.notifiers = notifiers
        }
    }
}
