import Foundation
import PostgreSQL
import Synchronization
import Uploads

/// The right to write to a ledger that several notifiers reach. One notifier has it, until it gives it back or has not renewed it for
/// ``seconds``; all times are the server's.
///
/// The lease alone keeps no notifier from writing, since one that was stopped for a while believes that it still has it. So each take-over
/// counts the shard's `epoch` up, and each transaction that decides compares the epoch while it holds the shard's row.
final class PostgreSQLLease: Sendable {
    /// How long a notifier keeps the lease that it does not renew. The next notifier takes over within 10 s of a death.
    private static let seconds = 6
    private static let renewalInterval = Duration.milliseconds(1500)

    let epoch: Int64
    /// Apart from the ledger's connections: slow queries must not delay a renewal.
    private let client: PostgreSQLClient
    private let state = Mutex(State())

    private struct State {
        var isLost = false
        var waiting: [UUID: AsyncStream<Void>.Continuation] = [:]
        var renewing: Task<Void, Never>?
    }

    private init(epoch: Int64, client: PostgreSQLClient) {
        self.epoch = epoch
        self.client = client
    }

    /// A lease that ends later than any that is granted now is from another clock: a replica has taken over whose clock is behind.
    /// - Returns: nil while another notifier has the lease, or is in the middle of a transaction.
    static func take(_ configuration: PostgreSQLConfiguration) async throws -> PostgreSQLLease? {
        let client = PostgreSQLClient(configuration, connections: 1)
        do {
            let length = "make_interval(secs => \(Double(seconds)))" as Statement
            let holder = "\(ProcessInfo.processInfo.hostName), process \(ProcessInfo.processInfo.processIdentifier)"
            let found = try await client.execute(
                """
                UPDATE shards SET epoch = epoch + 1, holder = \(holder),
                held_until = clock_timestamp() + \(length)
                WHERE shard = (
                    SELECT shard FROM shards WHERE shard = 0 AND (
                        held_until IS NULL OR held_until NOT BETWEEN clock_timestamp() AND clock_timestamp() + \(length))
                    FOR UPDATE SKIP LOCKED)
                RETURNING epoch
                """)
            if let epoch: Int64 = try found.first?.get("epoch") {
                let lease = PostgreSQLLease(epoch: epoch, client: client)
                let renewing = Task { [weak lease] in
                    while await lease?.renew() == true {}
                }
                lease.state.withLock { $0.renewing = renewing }
                return lease
            }
        } catch {
            await client.close()
            throw error
        }
        await client.close()
        return nil
    }

    /// Whether another notifier has taken over.
    var isLost: Bool { state.withLock(\.isLost) }

    /// Returns once another notifier has taken over, or when the task is cancelled.
    func untilLost() async {
        let id = UUID()
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        state.withLock { state in
            if state.isLost { continuation.finish() } else { state.waiting[id] = continuation }
        }
        for await _ in stream {}
        state.withLock { _ = $0.waiting.removeValue(forKey: id) }
    }

    func noteLost() {
        let waiting = state.withLock { state in
            defer { state.waiting = [:] }
            state.isLost = true
            return state.waiting.values
        }
        for waiter in waiting { waiter.finish() }
    }

    /// Lets the next notifier take over at once, also when the calling task is cancelled.
    func giveBack() async {
        let renewing = state.withLock { $0.renewing }
        renewing?.cancel()
        await renewing?.value
        await Task { [client, epoch] in
            // If this fails, the lease runs out.
            _ = try? await client.execute(
                "UPDATE shards SET held_until = NULL, holder = NULL WHERE shard = 0 AND epoch = \(epoch)")
            await client.close()
        }.value
    }

    /// Renews the lease after a pause. While the server cannot be reached no other notifier can take over either, so the lease is renewed
    /// when it is back.
    /// - Returns: whether to go on.
    private func renew() async -> Bool {
        do { try await Task.sleep(for: Self.renewalInterval) } catch { return false }
        let renewed = try? await client.execute(
            """
            UPDATE shards SET held_until = clock_timestamp() + make_interval(secs => \(Double(Self.seconds)))
            WHERE shard = 0 AND epoch = \(epoch)
            """)
        if renewed?.affectedCount == 0 { noteLost() }
        return !isLost
    }
}
