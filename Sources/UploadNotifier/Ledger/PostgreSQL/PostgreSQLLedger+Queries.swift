package import Foundation
import PostgreSQL
package import Uploads

extension PostgreSQLLedger: LedgerQueries {
    /// Events that one call examines, so that a filter without matches takes no longer than another.
    private static let eventWindow: Int64 = 5000

    package func job(_ id: JobID) async throws(UploadError) -> LedgerJob? {
        let found = try await query("SELECT record FROM jobs WHERE id = \(id.rawValue)")
        return try map(found) { row in
            do throws(DamagedRow) {
                return try DamagedRows.job((try? row.get("record")) ?? Data(), id: id.rawValue)
            } catch {
                rows.say(error)
                throw error
            }
        }.first
    }

    package func jobs(_ filter: LedgerFilter) async throws(UploadError) -> JobPage {
        try await read { [rows] in try await PostgreSQLSearch(filter, in: $0, rows).page() }
    }

    package func count(_ filter: OrderFilter, for verb: Verb) async throws(UploadError) -> Int {
        try await read { transaction in
            var words: [String] = []
            if let text = filter.text {
                words = try await RareWords.of(SearchText.fold(text).withoutNUL, in: transaction)
            }
            let found = try await transaction.execute(PostgreSQLStore.counting(filter, verb, words: words))
            return try found.first.map { Int(clamping: try $0.get("count", as: Int64.self)) } ?? 0
        }
    }

    package func preview(
        _ filter: OrderFilter, for verb: Verb, bounds: OrderPreview.Bounds
    ) async throws(UploadError) -> OrderPreview {
        try await read { [rows] transaction in
            try await PostgreSQLPreview(filter, verb, bounds, in: transaction, rows).preview()
        }
    }

    package func events(of job: JobID) async throws(UploadError) -> [UploadEvent] {
        let found = try await query(
            "SELECT seq, body FROM events WHERE job = (SELECT seq FROM jobs WHERE id = \(job.rawValue)) ORDER BY seq")
        return try map(found, recorded).map(\.event)
    }

    /// - Returns: nil for an event that cannot be read.
    private func recorded(_ row: Row) throws -> RecordedEvent? {
        let sequence: Int64 = try row.get("seq")
        return rows.value(UploadEvent.self, from: try row.get("body", as: Data.self), "events", sequence).map {
            RecordedEvent(sequence: sequence, event: $0)
        }
    }

    package func events(
        after sequence: Int64, _ filter: EventFilter, limit: Int
    ) async throws(UploadError) -> EventPage {
        let limit = min(max(1, limit), 1000)
        return try await read { transaction in
            let last = try await lastSequence(in: transaction)
            let start = sequence > last ? 0 : max(0, sequence)
            var conditions: [Statement] = ["seq > \(start)"]
            // The events of one job are few and have an index; other events are looked for in a window.
            var end = last
            if let job = filter.job {
                conditions.append("job = (SELECT seq FROM jobs WHERE id = \(job.rawValue))")
            } else {
                let window = try await transaction.execute(
                    "SELECT seq FROM events WHERE seq > \(start) ORDER BY seq LIMIT 1 OFFSET \(Self.eventWindow - 1)"
                ).first
                end = try window?.get("seq") ?? last
                conditions.append("seq <= \(end)")
            }
            if let kinds = filter.kinds { conditions.append("kind = ANY(\(kinds.map(\.rawValue).sorted()))") }
            if let queue = filter.queue { conditions.append("queue = \(queue.rawValue)") }
            let found = try await transaction.execute(
                """
                SELECT seq, body FROM events WHERE \(PostgreSQLStore.all(conditions)) ORDER BY seq LIMIT \(Int64(limit))
                """)
            let through: Int64 = found.count == limit ? try found.last?.get("seq") ?? end : end
            return EventPage(
                events: try found.compactMap { try self.recorded($0) }, through: through, isLast: through >= last)
        }
    }

    package func lastSequence() async throws(UploadError) -> Int64 {
        try await read { transaction in try await lastSequence(in: transaction) }
    }

    /// The number up to which all events are there. The newest event may have been removed with its job.
    private func lastSequence(in transaction: Transaction) async throws -> Int64 {
        let found = try await transaction.execute(
            """
            SELECT greatest(last_event, (SELECT max(seq) FROM events)) AS last,
            pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS oldest,
            pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS next FROM identity
            """)[0]
        let last: Int64 = try found.get("last")
        // A notifier alone makes one transaction after the other.
        guard leases.isShared else { return last }
        return horizon.safe(last: last, oldest: try found.get("oldest"), next: try found.get("next"))
    }

    // MARK: Loads

    package func counts() async throws(UploadError) -> [LedgerStatus: Int] {
        try await read { transaction -> [LedgerStatus: Int] in
            try await PostgreSQLSearch.scopes(in: transaction).reduce(into: [:]) { counts, scope in
                guard let status = LedgerStatus(rawValue: scope.status) else { return }
                counts[status] = (counts[status] ?? 0).addingSaturating(scope.count)
            }
        }
    }

    package func latest(_ status: LedgerStatus, limit: Int) async throws(UploadError) -> [LedgerJob] {
        let found = try await query(
            """
            SELECT id, record FROM jobs WHERE status = \(status.rawValue) ORDER BY since DESC
            LIMIT \(Int64(min(max(1, limit), 100)))
            """)
        return try map(found) { rows.job(try $0.get("record"), id: try $0.get("id")) }
    }

    package func queues(throughputSince: Date) async throws(UploadError) -> [QueueLoad] {
        let since = Int64((throughputSince.timeIntervalSince1970 / 60).rounded(.down)) - 1
        return try await read { transaction in
            var queues: [String: QueueLoad] = [:]
            let scopes = try await PostgreSQLSearch.scopes(in: transaction)
            for scope in scopes {
                guard let status = LedgerStatus(rawValue: scope.status) else { continue }
                var queue = queues[scope.queue] ?? QueueLoad(queue: QueueName(unchecked: scope.queue))
                queue.counts[status] = (queue.counts[status] ?? 0).addingSaturating(scope.count)
                if !status.isEnd { queue.bytesLeft = queue.bytesLeft.addingSaturating(scope.bytes) }
                if status == .paused { queue.bytesPaused = queue.bytesPaused.addingSaturating(scope.bytes) }
                queues[scope.queue] = queue
            }
            let waiting = scopes.filter { ["queued", "waiting"].contains($0.status) }
            let oldest = try await transaction.execute(
                """
                SELECT queue, min(first) AS first FROM (
                    SELECT queue, (
                        SELECT min(enqueued) FROM jobs WHERE queue = scope.queue AND destination = scope.destination
                        AND status = scope.status
                    ) AS first FROM unnest(\(waiting.map(\.queue)), \(waiting.map(\.destination)), \(waiting.map(\.status)))
                    AS scope (queue, destination, status)
                ) AS firsts WHERE first IS NOT NULL GROUP BY queue
                """)
            for row in oldest {
                queues[try row.get("queue")]?.oldestWaiting = Date(
                    timeIntervalSince1970: Double(try row.get("first", as: Int64.self)) / 1000)
            }
            let minutes = try await transaction.execute(
                """
                SELECT queue, minute, sum(completed)::bigint AS completed, sum(failed)::bigint AS failed,
                sum(cancelled)::bigint AS cancelled, least(greatest(sum(bytes), 0), \(Int64.max))::bigint AS bytes
                FROM throughput WHERE queue = ANY(\(Array(queues.keys))) AND minute > \(since)
                GROUP BY 1, 2 ORDER BY 1, 2
                """)
            for row in minutes {
                func count(_ column: String) throws -> Int { Int(clamping: try row.get(column, as: Int64.self)) }
                queues[try row.get("queue")]?.throughput.append(
                    ThroughputMinute(
                        start: Date(timeIntervalSince1970: Double(try row.get("minute", as: Int64.self)) * 60),
                        completed: try count("completed"), failed: try count("failed"),
                        cancelled: try count("cancelled"),
                        bytes: try row.get("bytes")))
            }
            return queues.values.sorted { $0.queue.rawValue < $1.queue.rawValue }
        }
    }

    package func destinations() async throws(UploadError) -> [DestinationLoad] {
        try await read { transaction in
            var destinations: [String: DestinationLoad] = [:]
            for scope in try await PostgreSQLSearch.scopes(in: transaction) {
                guard let status = LedgerStatus(rawValue: scope.status) else { continue }
                var destination = destinations[scope.destination] ?? DestinationLoad(destination: scope.destination)
                destination.counts[status] = (destination.counts[status] ?? 0).addingSaturating(scope.count)
                if !status.isEnd {
                    destination.bytesLeft = destination.bytesLeft.addingSaturating(scope.bytes)
                }
                destinations[scope.destination] = destination
            }
            return destinations.values.sorted { $0.destination < $1.destination }
        }
    }

    // MARK: Serial lines

    /// The most released jobs of a serial line that are shown: there is one, except after the loss of a ledger.
    private static let holdersMaximum: Int64 = 100

    package func line(of queue: QueueName, after: Int64?, limit: Int) async throws(UploadError) -> LinePage {
        let limit = min(max(1, limit), LedgerFilter.limitMaximum)
        return try await read { [rows] transaction in
            var entries: [LinePage.Entry] = []
            func entry(_ row: Row, _ position: Int?) throws -> LinePage.Entry? {
                rows.job(try row.get("record"), id: try row.get("id")).map {
                    LinePage.Entry(job: $0, position: position)
                }
            }
            if after == nil {
                entries = try await transaction.execute(
                    """
                    SELECT jobs.id, jobs.record FROM line JOIN jobs ON jobs.id = line.job
                    WHERE line.queue = \(queue.rawValue) AND line.number IS NULL
                    ORDER BY line.number, line.job LIMIT \(Self.holdersMaximum)
                    """
                ).compactMap { try entry($0, nil) }
            }
            let waiting = try await transaction.execute(
                """
                SELECT line.number, jobs.id, jobs.record FROM line JOIN jobs ON jobs.id = line.job
                WHERE line.queue = \(queue.rawValue) AND line.number > \(after ?? .min) ORDER BY line.number
                LIMIT \(Int64(limit))
                """)
            let first: Int64? = try waiting.first?.get("number")
            let counts = try await transaction.execute(Self.waitingCounts(queue, before: first ?? .min))[0]
            let start = Int(clamping: try counts.get("ahead", as: Int64.self))
            entries += try waiting.enumerated().compactMap { try entry($1, start + $0) }
            return LinePage(
                entries: entries, waiting: Int(clamping: try counts.get("waiting", as: Int64.self)),
                next: waiting.count == limit ? try waiting.last?.get("number") : nil)
        }
    }

    private static func waitingCounts(_ queue: QueueName, before number: Int64) -> Statement {
        """
        SELECT count(*) AS waiting, count(*) FILTER (WHERE number < \(number)) AS ahead FROM line
        WHERE queue = \(queue.rawValue) AND number IS NOT NULL
        """
    }

    package func place(of job: JobID) async throws(UploadError) -> LinePlace? {
        try await read { transaction in
            let found = try await transaction.execute("SELECT queue, number FROM line WHERE job = \(job.rawValue)")
                .first
            guard let found else { return nil }
            let queue = QueueName(unchecked: try found.get("queue"))
            let number: Int64? = try found.getIfPresent("number")
            let counts = try await transaction.execute(Self.waitingCounts(queue, before: number ?? .min))[0]
            let waiting = Int(clamping: try counts.get("waiting", as: Int64.self))
            guard let number else { return LinePlace(position: nil, waiting: waiting) }
            let holder = try await transaction.execute(
                """
                SELECT jobs.id, jobs.status FROM line JOIN jobs ON jobs.id = line.job
                WHERE line.queue = \(queue.rawValue) AND line.number IS NULL ORDER BY line.number, line.job LIMIT 1
                """
            ).first
            let holding = try (holder?.get("id") as String?).flatMap { JobID($0) }
            let ahead = try await transaction.execute(
                """
                SELECT job FROM line WHERE queue = \(queue.rawValue) AND number < \(number)
                ORDER BY number DESC LIMIT 1
                """
            ).first.flatMap { JobID(try $0.get("job")) }
            return LinePlace(
                position: Int(clamping: try counts.get("ahead", as: Int64.self)), waiting: waiting,
                behind: ahead ?? holding, holder: holding,
                holderStatus: try (holder?.get("status") as String?).flatMap(LedgerStatus.init))
        }
    }
}
