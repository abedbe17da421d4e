import Foundation
import GRDB
import Uploads

/// Finds the jobs of a listing by time, in a time that hardly depends on the number of jobs.
///
/// Every search uses an index whose entries are in the order of the listing:
/// - an idempotency key or a batch by its index;
/// - queue, destination and status by one index of all three: the tallies know which combinations have jobs at all, each is
///   walked only as far as a page, and the pages are merged. Rare jobs have few combinations, so they are found at once;
/// - an error by the index of failed jobs, merged for its destinations, and an app by the index of its jobs, merged for their statuses.
///
/// Jobs that ended within a time are few, and then sorted, or many, and then found in the order of the listing, in an index that also has the
/// times of ends.
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

    /// The jobs with which a search begins.
    private enum Way {
        case index(String, [JobCondition])
        /// Parts of an index, each in the order of the listing, and the conditions that hold for each of them.
        case merged(String, [[JobCondition]], [JobCondition])
        case few([Int64])
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
        let way = try way()
        let start = try beyondStart()
        guard filter.order == .newestFirst, let ended = filter.endedUntil else { return try places(way, start) }
        let latest = JobsAhead.latest(endedBefore: ended)
        let ahead = [JobCondition(JobsAhead.condition, []), JobCondition("enqueued >= ?", [latest])]
        return first(
            of: try places(way, start + [JobCondition("enqueued < ?", [latest])])
                + fetch(
                    from: "jobs_ahead",
                    ahead + filter.timeConditions + start + filter.columnConditions + filter.keyConditions))
    }

    /// - Parameter range: more conditions on their place in the listing.
    private func places(_ way: Way, _ range: [JobCondition]) throws -> [Place] {
        let range = filter.timeConditions + range
        switch way {
        case .index(let name, let key):
            return try fetch(from: name, key + range + filter.columnConditions)
        case .merged(let index, let parts, let others):
            return first(of: try parts.flatMap { try fetch(from: index, $0 + range + others) })
        case .few(let sequences):
            return try fetch(
                "jobs NOT INDEXED", [JobCondition(among: sequences)] + range + filter.columnConditions)
        }
    }

    private func way() throws -> Way {
        if filter.idempotencyKey != nil { return .index("jobs_by_idempotency", filter.keyConditions) }
        let scopes = filter.isScoped ? try Self.scopes(filter, in: db) : nil
        if let scopes, scopes.isEmpty { return merged([]) }
        let isFew = scopes.map { $0.map(\.count).sumSaturating() <= Self.fewMaximum } ?? false
        if filter.batch != nil, try filter.code == nil || JobIndex.batch(filter).hasFew(Self.fewMaximum, in: db) {
            if let scopes, isFew { return merged(scopes) }
            return .index("jobs_by_batch", filter.batchConditions)
        }
        if filter.code != nil, let scopes { return failures(in: Set(scopes.map(\.destination))) }
        if filter.client != nil {
            if let scopes, isFew { return merged(scopes) }
            return clients()
        }
        if !filter.endConditions.isEmpty, let few = try JobIndex.ends(filter).few(Self.fewMaximum, in: db) {
            return .few(few)
        }
        if let scopes, scopes.count <= Self.scopeCountMaximum { return merged(scopes) }
        return .index("jobs_by_time", [])
    }

    private func merged(_ scopes: [Scope]) -> Way {
        .merged("jobs_by_scope", scopes.map { [JobCondition($0)] }, filter.otherConditions)
    }

    /// With very many destinations the failed jobs are sorted, without reading their rows.
    private func failures(in destinations: Set<String>) -> Way {
        guard destinations.count <= Self.scopeCountMaximum else { return .index("jobs_by_code", filter.codeConditions) }
        let parts = destinations.map { filter.codeConditions + [JobCondition("destination = ?", [$0])] }
        return .merged(
            "jobs_by_code", parts,
            filter.queueConditions + filter.endConditions + filter.batchConditions + filter.clientConditions)
    }

    private func clients() -> Way {
        let statuses = filter.possibleStatuses ?? Set(LedgerStatus.allCases)
        let parts = statuses.map { filter.clientConditions + [JobCondition("status = ?", [$0.rawValue])] }
        return .merged(
            "jobs_by_client", parts,
            filter.queueConditions + filter.destinationConditions + filter.endConditions + filter.batchConditions)
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
                filter.possibleStatuses.map({ $0.contains { $0.rawValue == scope.status } }) ?? true
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
        try fetch("jobs INDEXED BY \(index)", conditions)
    }

    private func fetch(_ table: String, _ conditions: [JobCondition]) throws -> [Place] {
        let direction = filter.order == .newestFirst ? "DESC" : "ASC"
        let statement = try db.cachedStatement(
            sql: """
                SELECT enqueued, seq FROM \(table) \(JobCondition.clause(conditions))
                ORDER BY enqueued \(direction), seq \(direction) LIMIT ?
                """)
        return try Row.fetchAll(statement, arguments: JobCondition.arguments(conditions) + [filter.limit]).map {
            Place(enqueued: $0["enqueued"], sequence: $0["seq"])
        }
    }

    private func first(of places: [Place]) -> [Place] { Array(places.sorted(by: isBefore).prefix(filter.limit)) }

    private func isBefore(_ left: Place, _ right: Place) -> Bool {
        let isLess = (left.enqueued, left.sequence) < (right.enqueued, right.sequence)
        return filter.order == .oldestFirst ? isLess : left != right && !isLess
    }
}

extension LedgerFilter {
    /// Whether the filter names a queue or a destination, or leaves some statuses only.
    var isScoped: Bool { possibleStatuses != nil || queue != nil || destination != nil }
}
