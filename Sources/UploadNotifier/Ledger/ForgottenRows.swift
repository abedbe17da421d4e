import Foundation
import GRDB
import Uploads

/// What the rows beside those of jobs say of jobs that are forgotten.
struct ForgottenRows {
    let db: Database

    /// - Throws: `rejected` while something of the job is still to be told: it is told whole, or not at all.
    func checkTold(_ job: JobID) throws {
        let delegate = try String.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT delegate FROM deliveries WHERE job = ? AND delivered IS NULL AND given_up IS NULL
                    ORDER BY id LIMIT 1
                    """), arguments: [job.rawValue])
        if let delegate {
            throw UploadError(
                .rejected,
                "delegate '\(delegate)' has not been told yet how job \(job) has ended; forget the job when it has. 'uploadctl "
                    + "delegate show \(delegate)' says what holds it up; removing the delegate drops what it was not told"
            )
        }
        let isOwed = try Bool.fetchOne(
            db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM owed WHERE job = ?)"), arguments: [job.rawValue])
        if isOwed == true {
            throw UploadError(
                .rejected, "the broker has not confirmed yet what was published of job \(job); try again in a moment")
        }
    }

    /// Takes their names out of all rows but those of the jobs themselves.
    func strip(_ jobs: [LedgerJob]) throws {
        guard !jobs.isEmpty else { return }
        let list = try Ledger.list(jobs.map(\.id.rawValue))
        for sql in Self.strippingSQL { try db.cachedStatement(sql: sql).execute(arguments: [list]) }
        let last = try Int64.fetchOne(db, sql: "SELECT max(seq) FROM events") ?? 0
        for job in jobs { try stripEvents(of: job, last: last) }
        try removeLetters(about: Set(jobs.map(\.id)))
    }

    private static let strippingSQL = [
        """
        DELETE FROM wholes WHERE job IN (
            SELECT seq FROM jobs WHERE id IN (SELECT value FROM json_each(?)))
        """,
        """
        UPDATE attempts SET answer = NULL, error = NULL WHERE delivery IN (
            SELECT id FROM deliveries WHERE job IN (SELECT value FROM json_each(?)))
        """,
        "UPDATE deliveries SET error = NULL WHERE job IN (SELECT value FROM json_each(?))",
    ]

    /// The event that brought the end stays, for deliveries name it. So does the newest event of all: its number would be given again,
    /// and a reader of the stream that has seen it would miss the event that gets it.
    private func stripEvents(of job: LedgerJob, last: Int64) throws {
        let rows = try Row.fetchAll(
            db.cachedStatement(sql: "SELECT seq, id, body FROM events WHERE job = ?"), arguments: [job.id.rawValue])
        for row in rows {
            let (sequence, id): (Int64, String) = (row["seq"], row["id"])
            let isKept = id == job.end?.event || sequence == last
            let body: Data = row["body"]
            // One that cannot be read has to go: what it holds cannot be told.
            guard isKept, let event = try? WireJSON.decode(UploadEvent.self, from: body) else {
                try db.cachedStatement(sql: "DELETE FROM events WHERE seq = ?").execute(arguments: [sequence])
                continue
            }
            try db.cachedStatement(sql: "UPDATE events SET body = ? WHERE seq = ?")
                .execute(arguments: [try WireJSON.encode(event.forgotten), sequence])
        }
    }

    /// Dead letters have no index by job, for they say in many places which job they are about, if they say it: all are looked through
    /// once for a page of jobs.
    private func removeLetters(about jobs: Set<JobID>) throws {
        let rows = try Row.fetchCursor(db, sql: "SELECT id, reason, envelope, body FROM unreadable")
        var found: [Int64] = []
        while let row = try rows.next() {
            let (reason, envelope, body): (String, Data?, Data?) = (row["reason"], row["envelope"], row["body"])
            let parts = [Data(reason.utf8), envelope ?? Data(), body ?? Data()]
            if parts.contains(where: { JobMentions.any(of: jobs, in: $0) }) { found.append(row["id"]) }
        }
        guard !found.isEmpty else { return }
        try db.execute(
            sql: "DELETE FROM unreadable WHERE id IN (SELECT value FROM json_each(?))",
            arguments: [try Ledger.list(found)])
    }
}
