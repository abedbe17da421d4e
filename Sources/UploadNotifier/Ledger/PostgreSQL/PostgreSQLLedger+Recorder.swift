package import Foundation
import PostgreSQL
package import Uploads

extension PostgreSQLLedger: LedgerRecorder {
    package func reports(of jobs: [JobID]) async throws(UploadError) -> [OrderAnswer.Job] {
        let found = try await query("SELECT id, record FROM jobs WHERE id = ANY(\(jobs.map(\.rawValue)))")
        var answers: [String: OrderAnswer.Job] = [:]
        for (name, record) in try map(found, { (try $0.get("id") as String, try $0.get("record") as Data) }) {
            guard let id = JobID(name) else { continue }
            do throws(DamagedRow) {
                answers[name] = OrderAnswer.Job(id: id, report: JobReport(try DamagedRows.job(record, id: name)))
            } catch {
                rows.say(error)
                answers[name] = OrderAnswer.Job(id: id, reason: error.text)
            }
        }
        return jobs.map { answers[$0.rawValue] ?? OrderAnswer.Job(id: $0, reason: "the ledger knows no job \($0)") }
    }

    package func outlived(_ jobs: [JobID], at now: Date) async throws(UploadError) -> [JobID] {
        let found = try await query(
            """
            SELECT id, record FROM jobs WHERE id = ANY(\(jobs.map(\.rawValue)))
            AND status IN ('completed', 'failed', 'cancelled')
            AND since < \((now - LedgerJob.fenceMargin).timeIntervalSince1970)
            """)
        // The fence of a job that cannot be read stays, since the time of its removal is unknown.
        return try map(found) { rows.job(try $0.get("record"), id: try $0.get("id")) }.filter { job in
            job.fenceEndsAt.map { $0 <= now } ?? false
        }.map(\.id)
    }

    package func heldQueues(after queue: QueueName?, now: Date, limit: Int) async throws(UploadError) -> HeldQueues {
        try await read { transaction in
            var due: [QueueName] = []
            var last = queue?.rawValue ?? ""
            for _ in 0..<limit {
                // Each queue is found by one step in the index, however many jobs it has.
                let next = try await transaction.execute(
                    """
                    SELECT queue, EXISTS (
                        SELECT 1 FROM holds WHERE queue = first.queue AND due <= \(now.timeIntervalSince1970)
                        AND \(isOwn("job"))
                    ) AS is_due FROM (SELECT min(queue) AS queue FROM holds WHERE queue > \(last)) AS first
                    """
                ).first
                guard let next, let name: String = try next.getIfPresent("queue") else {
                    return HeldQueues(due: due, next: nil)
                }
                last = name
                if try next.get("is_due") { due.append(QueueName(unchecked: name)) }
            }
            return HeldQueues(due: due, next: QueueName(unchecked: last))
        }
    }

    /// The condition of rows about jobs of this notifier's shards.
    private func isOwn(_ column: Statement) -> Statement {
        PostgreSQLStore.isOwn(column, leases.held.keys, shards)
    }

    // MARK: Retention

    /// The condition of jobs that ended before a time and of which nothing is left to be told.
    private static func isTold(_ endedBefore: Date) -> Statement {
        """
        status IN ('completed', 'failed', 'cancelled') AND since < \(endedBefore.timeIntervalSince1970)
        AND NOT EXISTS (
            SELECT 1 FROM deliveries WHERE deliveries.job = jobs.seq AND delivered IS NULL AND given_up IS NULL)
        AND NOT EXISTS (SELECT 1 FROM owed WHERE owed.job = jobs.id)
        """
    }

    package func prune(
        endedBefore: Date, besides named: ControlView, limit: Int
    ) async throws(UploadError) -> Int {
        try await strikeOff()
        var found: [String] = []
        var last = ""
        // The names are checked one after the other, since the log may name half a million jobs.
        while found.count < limit {
            let page = try await query(
                """
                SELECT id FROM jobs WHERE \(Self.isTold(endedBefore)) AND \(isOwn("id")) AND id > \(last)
                ORDER BY id LIMIT \(Int64(max(limit, 1)))
                """)
            let ids = try map(page) { try $0.get("id") as String }
            found += ids.filter { JobID($0).map(named.names) != true }
            guard ids.count == max(limit, 1), let end = ids.last else { break }
            last = end
        }
        let (chosen, isLast) = (Array(found.prefix(limit)), found.count < limit)
        return try await write { store in
            // The condition is checked again, since an order may have come meanwhile.
            let removed = try store.query(
                "DELETE FROM jobs WHERE id = ANY(\(chosen)) AND \(Self.isTold(endedBefore))"
            ).affectedCount
            if isLast { try Self.forgetRest(endedBefore, in: store) }
            return removed
        }
    }

    /// Removes old rows that are about no single job.
    private static func forgetRest(_ endedBefore: Date, in store: PostgreSQLStore) throws {
        let time = endedBefore.timeIntervalSince1970
        try store.transaction.executeBlocking([
            "DELETE FROM orders WHERE at < \(time)", "DELETE FROM unreadable WHERE replayed < \(time)",
            "DELETE FROM throughput WHERE minute < \(Int64(time / 60))",
            "DELETE FROM throughput_hours WHERE hour < \(Int64(time / 3600))", "DELETE FROM tallies WHERE jobs = 0",
            // Left by notifiers that were killed.
            "DELETE FROM commits WHERE at < now() - interval '1 day'",
        ])
    }

    package func forget(
        endedBefore: Date, after job: JobID?, at now: Date, limit: Int
    ) async throws(UploadError) -> ForgottenPage {
        try await strikeOff()
        let page = try await query(
            """
            SELECT id FROM jobs WHERE \(Self.isTold(endedBefore)) AND \(isOwn("id")) AND id > \(job?.rawValue ?? "")
            AND forgotten IS NULL AND is_settled ORDER BY id LIMIT \(Int64(limit))
            """)
        let found = try map(page) { JobID(try $0.get("id")) }
        guard let last = found.last else { return ForgottenPage(count: 0, next: nil) }
        let count = try await forgetNames(of: found, at: now)
        return ForgottenPage(count: count, next: found.count == limit ? last : nil)
    }

    package func pruneLogs(
        triedBefore: Date, lettersBefore: Date?, limit: Int
    ) async throws(UploadError) -> Int {
        let (tried, limit) = (triedBefore.timeIntervalSince1970, Int64(limit))
        var counts = [
            // The numbers of attempts rise with time, so the oldest are found without an index by time.
            try await query(
                """
                DELETE FROM attempts WHERE id IN (SELECT id FROM attempts ORDER BY id LIMIT \(limit)) AND at < \(tried)
                """
            ).affectedCount,
            try await query(
                """
                UPDATE deliveries SET error = NULL WHERE id IN (
                    SELECT id FROM deliveries WHERE given_up < \(tried) AND error IS NOT NULL LIMIT \(limit))
                """
            ).affectedCount,
        ]
        if let lettersBefore {
            counts.append(
                try await query(
                    """
                    DELETE FROM unreadable WHERE id IN (
                        SELECT id FROM unreadable WHERE at < \(lettersBefore.timeIntervalSince1970) LIMIT \(limit))
                    """
                ).affectedCount)
        }
        return counts.max() ?? 0
    }

    package func acceptedForgetting() async throws(UploadError) -> [UploadOrder] {
        let found = try await query("SELECT id, body, progress FROM orders ORDER BY at")
        return try map(found) { row in
            let id: String = try row.get("id")
            guard let order = rows.value(UploadOrder.self, from: try row.get("body", as: Data.self), "orders", id),
                order.command.isForgetting,
                let progress = rows.value(
                    OrderProgress.self, from: try row.get("progress", as: Data.self), "orders", id),
                !progress.isDone,
                leases.kept.isSuperset(of: order.shards(of: shards))
            else { return nil }
            return order
        }
    }

    /// PostgreSQL's log of changes (WAL) and its free space are the operator's.
    package func scrub(rewriting: Bool) async throws(UploadError) {}
}
