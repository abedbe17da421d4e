import Foundation
import PostgreSQL
import Uploads

/// The tables of the PostgreSQL ledger in one transaction. Each call waits for the server on the transaction's own thread.
struct PostgreSQLStore: LedgerStore {
    let transaction: Transaction
    let rows: DamagedRows
    let decoded: Ledger.Decoded
    let shards: Shards
    /// The epochs of the shards about whose jobs this transaction may decide.
    let leases: [Int: Int64]
    let delegatesRead: DelegatesRead

    /// Waits for the turn of this transaction in each of its shards, and notes its token, by which the notifier can look whether it took effect.
    /// - Returns: the shards that another notifier has by now. With any of them the transaction must not go on.
    func begin(
        _ token: UUID, strikingOff settled: [OwedAction.ID], forgetting known: [UUID], locksAll: Bool = false
    ) throws -> Set<Int> {
        // In the order of their numbers: no two transactions wait for each other.
        let answers = try transaction.executeBlocking([
            """
            SELECT shard::bigint AS shard, epoch FROM shards
            WHERE \(locksAll) OR shard = ANY(\(leases.keys.map { Int64($0) })) ORDER BY shards.shard FOR UPDATE
            """,
            "INSERT INTO commits (token) VALUES (\(token))", "DELETE FROM commits WHERE token = ANY(\(known))",
            "DELETE FROM owed WHERE id = ANY(\(settled))",
        ])
        var own: Set<Int> = []
        for row in answers.first.map(Array.init) ?? [] {
            let shard = Int(clamping: try row.get("shard", as: Int64.self))
            if try row.get("epoch") == leases[shard] { own.insert(shard) }
        }
        return Set(leases.keys).subtracting(own)
    }

    /// Counts a change of the registered delegates.
    func countDelegatesChange() throws {
        let counted = try query("UPDATE identity SET delegates = delegates + 1 RETURNING delegates")
        if let made: Int64 = try counted.first?.get("delegates") { delegatesRead.noteOwn(made) }
    }

    /// The number of the last change of the registered delegates.
    func delegatesChange() throws -> Int64? { try query("SELECT delegates FROM identity").first?.get("delegates") }

    /// - Throws: `serverFailure` if another notifier decides about one of the jobs: nothing is wrong with the message about it, which goes to
    ///   that notifier.
    private func check(_ jobs: some Sequence<JobID>) throws {
        for job in jobs where leases[shards.shard(of: job)] == nil {
            throw UploadError(
                .serverFailure, "another notifier decides about job \(job), in shard \(shards.shard(of: job))")
        }
    }

    /// The condition of rows about jobs of this transaction's shards.
    /// - Parameter column: has the jobs' ids.
    func isOwn(_ column: Statement) -> Statement { Self.isOwn(column, leases.keys, shards) }

    static func isOwn(_ column: Statement, _ held: some Collection<Int>, _ shards: Shards) -> Statement {
        guard held.count < shards.count else { return "true" }
        return "right(\(column), 1) = ANY(\(held.flatMap { shards.digits(of: $0) }))"
    }

    func query(_ statement: Statement) throws -> Rows {
        guard let rows = try transaction.executeBlocking([statement]).first else {
            throw PostgreSQLError(.serverFailed, "a statement has no answer")
        }
        return rows
    }

    // MARK: Jobs

    func jobs(_ ids: Set<JobID>) throws -> [JobID: StoredJob] {
        try check(ids)
        let found = try query("SELECT id, record FROM jobs WHERE id = ANY(\(ids.map(\.rawValue)))")
        var jobs: [JobID: StoredJob] = [:]
        for row in found {
            let name: String = try row.get("id")
            guard let id = JobID(name), jobs[id] == nil else { continue }
            jobs[id] = stored(try row.get("record"), id: name)
        }
        return jobs
    }

    /// - Parameter id: the id from the row's own column.
    func stored(_ record: Data, id: String) -> StoredJob {
        if let known = decoded.jobs.value(of: id, record) { return .job(known) }
        do throws(DamagedRow) {
            return .job(try DamagedRows.job(record, id: id))
        } catch {
            rows.say(error)
            return .damaged(error)
        }
    }

    func originalOrder(of job: JobID) throws -> UploadJob? {
        try query("SELECT body FROM wholes JOIN jobs ON seq = job WHERE id = \(job.rawValue)").first.map { row in
            let body: Data = try row.get("body")
            let order = try DamagedRows.value(UploadJob.self, from: body, "wholes", job.rawValue)
            guard order.id == job else { throw DamagedRow("wholes", job.rawValue, why: "it is about another job") }
            return order
        }
    }

    func heldJobs(of queue: QueueName, hasWorker: Bool, now: Date, limit: Int) throws -> [JobID] {
        try query(
            """
            SELECT job FROM holds WHERE queue = \(queue.rawValue) AND \(isOwn("job")) AND due <= \(now.timeIntervalSince1970)
            AND (\(hasWorker) OR NOT needs_worker) ORDER BY due LIMIT \(Int64(limit))
            """
        ).compactMap { JobID(try $0.get("job")) }
    }

    /// - Parameter statement: answers one row with a number in the column `count`.
    func count(_ statement: Statement) throws -> Int {
        try Int(clamping: query(statement).first?.get("count", as: Int64.self) ?? 0)
    }

    /// The conditions joined by AND.
    static func all(_ conditions: [Statement]) -> Statement {
        conditions.dropFirst().reduce(conditions.first ?? "true") { "\($0) AND \($1)" }
    }

    // MARK: Serial lines

    func releasedCount(inLineOf queue: QueueName) throws -> Int {
        try count("SELECT count(*) AS count FROM line WHERE queue = \(queue.rawValue) AND number IS NULL")
    }

    func waitingCount(inLineOf queue: QueueName, before number: Int64) throws -> Int {
        try count("SELECT count(*) AS count FROM line WHERE queue = \(queue.rawValue) AND number < \(number)")
    }

    func row(of job: String, inLineOf queue: QueueName) throws -> LineRow? {
        try query("SELECT number FROM line WHERE job = \(job) AND queue = \(queue.rawValue)").first.map { row in
            try row.getIfPresent("number", as: Int64.self).map { .waiting(number: $0) } ?? .released
        }
    }

    func waiting(
        inLineOf queue: QueueName, beyond place: WaitingJob?, isBackward: Bool, limit: Int
    ) throws -> [WaitingJob] {
        let beyond: Statement =
            switch (place, isBackward) {
            case (let place?, true): "AND (number, job) < (\(place.number), \(place.job))"
            case (let place?, false): "AND (number, job) > (\(place.number), \(place.job))"
            case (nil, _): ""
            }
        let order: Statement = isBackward ? "number DESC, job DESC" : "number, job"
        return try query(
            """
            SELECT job, number FROM line WHERE queue = \(queue.rawValue) AND number IS NOT NULL \(beyond)
            ORDER BY \(order) LIMIT \(Int64(limit))
            """
        ).map { WaitingJob(job: try $0.get("job"), number: try $0.get("number")) }
    }

    // MARK: Outcomes and apps

    func event(_ id: String, of job: JobID) throws -> UploadEvent? { try event(id, of: job.rawValue) }

    /// - Parameter job: the text in a row, which may be damaged.
    private func event(_ id: String, of job: String) throws -> UploadEvent? {
        try query(
            """
            SELECT events.seq, body FROM events JOIN jobs ON jobs.seq = job
            WHERE id = \(job) AND sha256(name) = \(RowEventID.stored(id, of: job).digest)
            """
        ).first.map { row in
            let (body, sequence): (Data, Int64) = (try row.get("body"), try row.get("seq"))
            return try decoded.events.value(of: sequence, body)
                ?? DamagedRows.value(UploadEvent.self, from: body, "events", sequence)
        }
    }

    func untold(of job: JobID) throws -> UntoldNews? {
        let found = try query(
            """
            SELECT (SELECT delegate FROM deliveries WHERE job = (SELECT seq FROM jobs WHERE id = \(job.rawValue))
            AND delivered IS NULL AND given_up IS NULL ORDER BY id LIMIT 1) AS delegate,
            EXISTS (SELECT 1 FROM owed WHERE job = \(job.rawValue)) AS is_owed
            """
        ).first
        if let delegate: String = try found?.getIfPresent("delegate") { return .delivery(delegate: delegate) }
        return try found?.get("is_owed") == true ? .publication : nil
    }

    func registration(of delegate: String) throws -> RegistrationPhase {
        let row = try query("SELECT removed FROM registered WHERE name = \(delegate)").first
        return try row.map { try $0.getIfPresent("removed", as: Double.self) == nil ? .registered : .removed }
            ?? .unknown
    }

    func registrationCount(prefix: String) throws -> Int {
        try count("SELECT count(*) AS count FROM registered WHERE starts_with(name, \(prefix))")
    }

    // MARK: Owed actions and orders

    func owed() throws -> [StoredOwedAction] {
        try query(
            """
            SELECT owed.id, owed.job, owed.body, jobs.id AS known, jobs.record
            FROM owed LEFT JOIN jobs ON jobs.id = owed.job WHERE \(isOwn("owed.job")) ORDER BY owed.id
            """
        ).map { row in
            let (id, job, body): (Int64, String, Data) = (try row.get("id"), try row.get("job"), try row.get("body"))
            let action: Result<IssuingAction?, DamagedRow>
            do {
                let record = try DamagedRows.value(OwedRecord.self, from: body, "owed", id)
                action = .success(try record.action { try event($0, of: job) })
            } catch let error as PostgreSQLError where !error.isOfOne {
                throw error
            } catch {
                action = .failure(error as? DamagedRow ?? DamagedRow("owed", "\(id)", error))
            }
            let known = try row.getIfPresent("known", as: String.self).map { stored(try row.get("record"), id: $0) }
            return StoredOwedAction(id: id, job: job, action: action, known: known, body: body)
        }
    }

    func strikeOff(_ ids: [OwedAction.ID]) throws {
        guard !ids.isEmpty else { return }
        _ = try query("DELETE FROM owed WHERE id = ANY(\(ids))")
    }

    func progress(of order: UUID) throws -> OrderProgress? {
        try query("SELECT progress FROM orders WHERE id = \(order.text)").first.map {
            try WireJSON.decode(OrderProgress.self, from: $0.get("progress", as: Data.self))
        }
    }

    // MARK: Attempts

    func attempt(_ step: () throws -> Void) throws -> String? {
        _ = try query("SAVEPOINT attempt")
        do {
            try step()
        } catch  where LedgerFailure.isOfOne(error) {
            try transaction.executeBlocking(["ROLLBACK TO SAVEPOINT attempt", "RELEASE SAVEPOINT attempt"])
            return LedgerFailure.words(for: error)
        }
        _ = try query("RELEASE SAVEPOINT attempt")
        return nil
    }

    func report(_ damage: DamagedRow) { rows.say(damage) }
}

extension String {
    /// The text as PostgreSQL can hold it: without U+0000.
    var withoutNUL: String { utf8.contains(0) ? replacing("\0", with: "\u{FFFD}") : self }
}
