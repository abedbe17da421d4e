import Foundation
import GRDB
import Uploads

/// Finds the jobs of a listing by time, in a time that hardly depends on the number of jobs.
///
/// Every search uses an index whose entries are in the order of the listing:
/// - an idempotency key or a batch by its index;
/// - queue, destination and status by one index of all three: the tallies know which combinations have jobs at all, each is
///   walked only as far as a page, and the pages are merged. Rare jobs have few combinations, so they are found at once.
///
/// A listing by text uses `TextSearch`.
struct JobSearch {
    /// The most jobs of which each is examined without an index.
    static let fewMaximum = 4000
    /// The most combinations that are walked and merged.
    static let scopeCountMaximum = 200

    /// The place of a job in the order of the listing.
    struct Place: Hashable {
        /// Milliseconds since 1970.
        var enqueued: Int64
        var sequence: Int64
    }

    /// The index with which a search begins.
    private enum Way {
        case index(String, [JobCondition])
        case scopes([Scope])
    }

    /// Jobs of one queue, destination and status.
    struct Scope: Hashable {
        var queue: String
        var destination: String
        var status: String
        var count: Int
        var bytes: Int64
    }

    private let db: Database
    private let rows: DamagedRows
    private let filter: LedgerFilter

    init(_ filter: LedgerFilter, in db: Database, _ rows: DamagedRows) {
        self.db = db
        self.rows = rows
        self.filter = filter
    }

    /// The page of the listing.
    /// - Throws: `rejected` when the job after which the page begins is not known.
    func page() throws -> JobPage {
        let places = try places().map(\.sequence)
        let jobs = try Self.jobs(places, in: db, rows)
        guard places.count == filter.limit, let last = places.last else { return JobPage(jobs: jobs, next: nil) }
        return JobPage(jobs: jobs, next: try Self.id(of: last, in: db) ?? jobs.last?.id)
    }

    /// The jobs of these rows, except rows that cannot be read.
    static func jobs(_ sequences: [Int64], in db: Database, _ rows: DamagedRows) throws -> [LedgerJob] {
        let statement = try db.cachedStatement(sql: "SELECT id, record FROM jobs WHERE seq = ?")
        return try sequences.compactMap { sequence in
            try Row.fetchOne(statement, arguments: [sequence]).flatMap { rows.job($0["record"], id: $0["id"]) }
        }
    }

    /// - Returns: nil for a row that is damaged.
    static func id(of sequence: Int64, in db: Database) throws -> JobID? {
        let statement = try db.cachedStatement(sql: "SELECT id FROM jobs WHERE seq = ?")
        return try String.fetchOne(statement, arguments: [sequence]).flatMap { JobID($0) }
    }

    private func places() throws -> [Place] {
        let range = try filter.timeConditions + beyondStart()
        switch try way() {
        case .index(let name, let key):
            return try fetch(from: name, key + range + filter.columnConditions)
        case .scopes(let scopes):
            let others = filter.batch.map { [JobCondition("batch = ?", [$0])] } ?? []
            let found = try scopes.flatMap { scope in
                try fetch(from: "jobs_by_scope", [JobCondition(scope)] + range + others)
            }
            return Array(found.sorted(by: isBefore).prefix(filter.limit))
        }
    }

    private func way() throws -> Way {
        if let key = filter.idempotencyKey {
            return .index("jobs_by_idempotency", [JobCondition("idempotency = ?", [key])])
        }
        let scopes = filter.isScoped ? try Self.scopes(filter, in: db) : nil
        if let batch = filter.batch {
            if let scopes, scopes.map(\.count).sumSaturating() <= Self.fewMaximum { return .scopes(scopes) }
            return .index("jobs_by_batch", [JobCondition("batch = ?", [batch])])
        }
        if let scopes, scopes.count <= Self.scopeCountMaximum { return .scopes(scopes) }
        return .index("jobs_by_time", [])
    }

    /// The combinations of queue, destination and status that the filter permits and that have jobs.
    static func scopes(_ filter: LedgerFilter, in db: Database) throws -> [Scope] {
        try Row.fetchAll(
            db, sql: "SELECT queue, destination, status, jobs, bytes, over FROM tallies WHERE jobs > 0"
        ).compactMap { row in
            let scope = Scope(
                queue: row["queue"], destination: row["destination"], status: row["status"], count: row["jobs"],
                bytes: LedgerSums.sum(bytes: row["bytes"], over: row["over"]))
            guard filter.queue.map({ $0.rawValue == scope.queue }) ?? true,
                filter.destination.map({ $0 == scope.destination }) ?? true,
                filter.statuses.map({ $0.contains { $0.rawValue == scope.status } }) ?? true
            else { return nil }
            return scope
        }
    }

    private func beyondStart() throws -> [JobCondition] {
        guard let start = try filter.start(in: db) else { return [] }
        let sign = filter.order == .newestFirst ? "<" : ">"
        return [
            JobCondition(
                "enqueued \(sign)= ? AND (enqueued \(sign) ? OR seq \(sign) ?)",
                [start.enqueued, start.enqueued, start.sequence])
        ]
    }

    private func fetch(from index: String, _ conditions: [JobCondition]) throws -> [Place] {
        let direction = filter.order == .newestFirst ? "DESC" : "ASC"
        let statement = try db.cachedStatement(
            sql: """
                SELECT enqueued, seq FROM jobs INDEXED BY \(index) \(JobCondition.clause(conditions))
                ORDER BY enqueued \(direction), seq \(direction) LIMIT ?
                """)
        return try Row.fetchAll(statement, arguments: JobCondition.arguments(conditions) + [filter.limit]).map {
            Place(enqueued: $0["enqueued"], sequence: $0["seq"])
        }
    }

    private func isBefore(_ left: Place, _ right: Place) -> Bool {
        let isLess = (left.enqueued, left.sequence) < (right.enqueued, right.sequence)
        return filter.order == .oldestFirst ? isLess : left != right && !isLess
    }
}

extension LedgerFilter {
    /// Whether the filter names a queue, a destination or a status.
    var isScoped: Bool { statuses != nil || queue != nil || destination != nil }
}
