import Foundation
import PostgreSQL
import Uploads

/// Finds the jobs of a listing, in a time that hardly depends on the number of jobs: see `JobSearch` for the ways by indexes, which are the
/// same here.
struct PostgreSQLSearch {
    let filter: LedgerFilter
    let transaction: Transaction
    private let rows: DamagedRows

    init(_ filter: LedgerFilter, in transaction: Transaction, _ rows: DamagedRows) {
        self.filter = filter
        self.transaction = transaction
        self.rows = rows
    }

    /// - Throws: `rejected` when the text is too short, or the job after which the page begins is not known.
    func page() async throws -> JobPage {
        guard let text = filter.text else { return try await pageByTime() }
        let needle = SearchText.fold(text).withoutNUL
        guard needle.unicodeScalars.count >= LedgerFilter.textCountMinimum else {
            throw UploadError(
                .rejected,
                "a text to search for needs at least \(LedgerFilter.textCountMinimum) characters; '\(needle)' is too short"
            )
        }
        return try await page(with: needle)
    }

    var isNewestFirst: Bool { filter.order == .newestFirst }

    // MARK: By time

    private func pageByTime() async throws -> JobPage {
        let way = try await way()
        let start = try await beyondStart()
        guard isNewestFirst, let ended = filter.endedUntil else {
            return try page(of: try await transaction.execute(found(way, start)))
        }
        let latest = JobsAhead.latest(endedBefore: ended)
        return try page(
            of: try await transaction.execute(
                """
                SELECT * FROM (
                    (\(found(way, start + ["enqueued < \(latest)"])))
                    UNION ALL (
                        SELECT enqueued, seq, id, record FROM jobs
                        WHERE \(Statement(stringLiteral: JobsAhead.condition)) AND enqueued >= \(latest)
                        AND \(PostgreSQLStore.all(start + conditions)) ORDER BY \(orderByTime) LIMIT \(Int64(filter.limit))
                    )
                ) AS found ORDER BY \(orderByTime) LIMIT \(Int64(filter.limit))
                """))
    }

    private var orderByTime: Statement { isNewestFirst ? "enqueued DESC, seq DESC" : "enqueued, seq" }

    /// The statement that finds the jobs of a page.
    /// - Parameter range: more conditions on their place in the listing.
    private func found(_ way: Way, _ range: [Statement]) -> Statement {
        let condition = PostgreSQLStore.all(filter.timeConditionsInPostgreSQL + range)
        let (order, limit) = (orderByTime, Int64(filter.limit))
        switch way {
        case .condition(let key):
            let others = PostgreSQLStore.all(filter.columnConditionsInPostgreSQL)
            return """
                SELECT enqueued, seq, id, record FROM jobs WHERE \(key) AND \(condition) AND \(others)
                ORDER BY \(order) LIMIT \(limit)
                """
        case .merged(let parts, let part):
            // Each part is walked only as far as a page, and the pages are merged.
            return """
                SELECT found.* FROM \(parts) CROSS JOIN LATERAL (
                    SELECT enqueued, seq, id, record FROM jobs
                    WHERE \(part) AND \(condition) AND \(PostgreSQLStore.all(filter.otherConditionsInPostgreSQL))
                    ORDER BY \(order) LIMIT \(limit)
                ) AS found ORDER BY \(order) LIMIT \(limit)
                """
        case .few:
            let others = PostgreSQLStore.all(filter.columnConditionsInPostgreSQL)
            // The server would take the jobs to be many, and walk all of them in the order of the listing.
            return """
                SELECT * FROM (
                    SELECT enqueued, seq, id, record FROM jobs WHERE \(others) AND \(condition) OFFSET 0
                ) AS found ORDER BY \(order) LIMIT \(limit)
                """
        }
    }

    private enum Way {
        case condition(Statement)
        /// A table of parts, and the condition that a job is in a part.
        case merged(Statement, Statement)
        /// All jobs that match are so few that they are sorted.
        case few
    }

    private func way() async throws -> Way {
        if let key = filter.idempotencyKey { return .condition("sha256(idempotency) = \(key.digest)") }
        let scopes = filter.isScoped ? try await scopes() : nil
        let isFew = scopes.map { $0.map(\.count).sumSaturating() <= JobSearch.fewMaximum } ?? false
        if let batch = filter.batch {
            if let scopes, isFew { return merged(scopes) }
            return .condition("sha256(batch) = \(batch.digest)")
        }
        if filter.code != nil, let scopes {
            let destinations = Set(scopes.map(\.destination)).sorted()
            guard destinations.count <= JobSearch.scopeCountMaximum else { return .condition("true") }
            return .merged("unnest(\(destinations)) AS part (destination)", "jobs.destination = part.destination")
        }
        if filter.client != nil {
            if let scopes, isFew { return merged(scopes) }
            let statuses = (filter.possibleStatuses ?? Set(LedgerStatus.allCases)).map(\.rawValue).sorted()
            return .merged("unnest(\(statuses)) AS part (status)", "jobs.status = part.status")
        }
        if !filter.endConditionsInPostgreSQL.isEmpty, try await hasFewEnds() { return .few }
        if let scopes, scopes.count <= JobSearch.scopeCountMaximum { return merged(scopes) }
        return .condition("true")
    }

    private func merged(_ scopes: [JobSearch.Scope]) -> Way {
        .merged(
            """
            unnest(\(scopes.map(\.queue)), \(scopes.map(\.destination)), \(scopes.map(\.status)))
            AS part (queue, destination, status)
            """, "jobs.queue = part.queue AND jobs.destination = part.destination AND jobs.status = part.status")
    }

    /// Whether few jobs ended within the time of the filter.
    private func hasFewEnds() async throws -> Bool {
        var ended = LedgerFilter(statuses: filter.possibleStatuses)
        (ended.endedSince, ended.endedUntil) = (filter.endedSince, filter.endedUntil)
        return try await hasFew(PostgreSQLStore.all(ended.columnConditionsInPostgreSQL), JobSearch.fewMaximum)
    }

    func hasFew(_ condition: Statement, _ maximum: Int) async throws -> Bool {
        let count = try await transaction.execute(
            """
            SELECT count(*) AS count FROM (SELECT 1 FROM jobs WHERE \(condition) LIMIT \(Int64(maximum) + 1)) AS found
            """)
        return try count[0].get("count", as: Int64.self) <= Int64(maximum)
    }

    /// The combinations of queue, destination and status that the filter permits and that have jobs.
    func scopes() async throws -> [JobSearch.Scope] {
        try await Self.scopes(in: transaction).filter { scope in
            (filter.queue.map { $0.rawValue == scope.queue } ?? true)
                && (filter.destination.map { $0 == scope.destination } ?? true)
                && (filter.possibleStatuses.map { $0.contains { $0.rawValue == scope.status } } ?? true)
        }
    }

    static func scopes(in transaction: Transaction) async throws -> [JobSearch.Scope] {
        try await transaction.execute(
            """
            SELECT queue, destination, status, sum(jobs)::bigint AS jobs,
            least(greatest(sum(bytes), 0), \(Int64.max))::bigint AS bytes
            FROM tallies GROUP BY 1, 2, 3 HAVING sum(jobs) > 0
            """
        ).map { row in
            JobSearch.Scope(
                queue: try row.get("queue"), destination: try row.get("destination"), status: try row.get("status"),
                count: Int(clamping: try row.get("jobs", as: Int64.self)), bytes: try row.get("bytes"))
        }
    }

    func start() async throws -> JobSearch.Place? {
        guard let after = filter.after else { return nil }
        let row = try await transaction.execute("SELECT enqueued, seq FROM jobs WHERE id = \(after.rawValue)").first
        guard let row else {
            throw UploadError(
                .rejected, "the ledger does not know job \(after) to go on after (any more); begin with the first page")
        }
        return JobSearch.Place(enqueued: try row.get("enqueued"), sequence: try row.get("seq"))
    }

    private func beyondStart() async throws -> [Statement] {
        guard let start = try await start() else { return [] }
        return isNewestFirst
            ? ["(enqueued, seq) < (\(start.enqueued), \(start.sequence))"]
            : ["(enqueued, seq) > (\(start.enqueued), \(start.sequence))"]
    }

    func page(of found: Rows) throws -> JobPage {
        let jobs = try jobs(found)
        guard found.count == filter.limit, let last = found.last else { return JobPage(jobs: jobs, next: nil) }
        return JobPage(jobs: jobs, next: JobID(try last.get("id")) ?? jobs.last?.id)
    }

    func jobs(_ found: Rows) throws -> [LedgerJob] {
        try found.compactMap { rows.job(try $0.get("record"), id: try $0.get("id")) }
    }

    var conditions: [Statement] {
        filter.timeConditionsInPostgreSQL + filter.columnConditionsInPostgreSQL
            + (filter.idempotencyKey.map { ["sha256(idempotency) = \($0.digest)"] } ?? [])
    }
}

extension LedgerFilter {
    var timeConditionsInPostgreSQL: [Statement] {
        [
            enqueuedSince.map { "enqueued >= \($0.milliseconds)" as Statement },
            enqueuedUntil.map { "enqueued < \($0.milliseconds)" as Statement },
        ].compactMap { $0 }
    }

    /// For rows of ended jobs.
    var endConditionsInPostgreSQL: [Statement] {
        [
            endedSince.map { "since >= \($0.timeIntervalSince1970)" as Statement },
            endedUntil.map { "since < \($0.timeIntervalSince1970)" as Statement },
        ].compactMap { $0 }
    }

    /// The other conditions on a job, except those on its text and its idempotency key.
    var columnConditionsInPostgreSQL: [Statement] {
        var conditions: [Statement] = []
        // A job with a code has failed, so where a code is wanted the index by code knows the status.
        if let statuses = possibleStatuses, code == nil || statuses.isEmpty {
            conditions.append("status = ANY(\(statuses.map(\.rawValue).sorted()))")
        }
        return conditions + otherConditionsInPostgreSQL
    }

    /// The same without a condition on the status.
    var otherConditionsInPostgreSQL: [Statement] {
        var conditions = endConditionsInPostgreSQL
        if let queue { conditions.append("queue = \(queue.rawValue)") }
        if let destination { conditions.append("destination = \(destination)") }
        if let batch { conditions.append("sha256(batch) = \(batch.digest)") }
        if let client { conditions.append("sha256(client) = \(client.digest)") }
        if let code { conditions.append("code = \(code.description)") }
        return conditions
    }
}
