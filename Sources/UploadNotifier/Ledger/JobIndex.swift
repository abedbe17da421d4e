import GRDB
import Uploads

/// A part of an index that has all jobs which match a filter, and perhaps others.
struct JobIndex {
    private let name: String
    private let conditions: [JobCondition]

    private init(_ name: String, _ conditions: [JobCondition]) {
        self.name = name
        self.conditions = conditions
    }

    static func key(_ filter: LedgerFilter) -> JobIndex { JobIndex("jobs_by_idempotency", filter.keyConditions) }

    static func batch(_ filter: LedgerFilter) -> JobIndex { JobIndex("jobs_by_batch", filter.batchConditions) }

    /// All of whose columns the index by code has.
    static func code(_ filter: LedgerFilter) -> JobIndex {
        JobIndex(
            "jobs_by_code",
            filter.codeConditions + filter.destinationConditions + filter.queueConditions + filter.endConditions
                + filter.timeConditions)
    }

    static func client(_ filter: LedgerFilter) -> JobIndex {
        JobIndex("jobs_by_client", filter.clientConditions + filter.statusConditions)
    }

    /// - Precondition: the filter leaves some statuses only.
    static func ends(_ filter: LedgerFilter) -> JobIndex {
        var ended = filter
        ended.code = nil
        ended.statuses = filter.possibleStatuses
        return JobIndex("jobs_by_status", ended.statusConditions + ended.endConditions)
    }

    static func times(_ filter: LedgerFilter) -> JobIndex { JobIndex("jobs_by_time", filter.timeConditions) }

    static func scope(_ scope: JobSearch.Scope, _ filter: LedgerFilter) -> JobIndex {
        JobIndex("jobs_by_scope", [JobCondition(scope)] + filter.timeConditions + filter.endConditions)
    }

    static let forgotten = JobIndex("jobs_forgotten", [JobCondition("forgotten IS NOT NULL", [])])
    static let paused = JobIndex("jobs_paused", [JobCondition("keeps_pause = 1", [])])

    /// Whether it has at most so many jobs.
    func hasFew(_ maximum: Int, in db: Database) throws -> Bool {
        try count([], in: db, limit: maximum + 1) <= maximum
    }

    /// Its jobs; nil if they are more.
    func few(_ maximum: Int, in db: Database) throws -> [Int64]? {
        guard try hasFew(maximum, in: db) else { return nil }
        let statement = try db.cachedStatement(sql: "SELECT seq FROM \(table) \(JobCondition.clause(conditions))")
        return try Int64.fetchAll(statement, arguments: JobCondition.arguments(conditions))
    }

    /// How many of its jobs meet more conditions, counted as far as the limit.
    func count(_ more: [JobCondition], in db: Database, limit: Int = .max) throws -> Int {
        try Self.count(table, conditions + more, in: db, limit: limit)
    }

    static func count(_ table: String, _ conditions: [JobCondition], in db: Database, limit: Int) throws -> Int {
        let statement = try db.cachedStatement(
            sql: "SELECT count(*) FROM (SELECT 1 FROM \(table) \(JobCondition.clause(conditions)) LIMIT ?)")
        return try Int.fetchOne(statement, arguments: JobCondition.arguments(conditions) + [limit]) ?? 0
    }

    private var table: String { "jobs INDEXED BY \(name)" }
}
