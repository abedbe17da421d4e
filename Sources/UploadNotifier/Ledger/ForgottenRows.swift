import Foundation
import GRDB
import Uploads

/// Removes the names of forgotten jobs from the rows of other tables.
struct ForgottenRows {
    let db: Database

    /// Removes the jobs' names from all rows except those of the jobs themselves.
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
            SELECT id FROM deliveries WHERE job IN (
                SELECT seq FROM jobs WHERE id IN (SELECT value FROM json_each(?))))
        """,
        """
        UPDATE deliveries SET error = NULL WHERE job IN (
            SELECT seq FROM jobs WHERE id IN (SELECT value FROM json_each(?)))
        """,
    ]

    /// The event that brought the end stays, since deliveries name it. So does the newest event of all: SQLite would give its number again,
    /// and a reader of the stream that has seen the number would miss the new event.
    private func stripEvents(of job: LedgerJob, last: Int64) throws {
        let rows = try Row.fetchAll(
            db.cachedStatement(
                sql: "SELECT seq, name, body FROM events WHERE job = (SELECT seq FROM jobs WHERE id = ?)"),
            arguments: [job.id.rawValue])
        let end = job.end.map { RowEventID.stored($0.event, of: job.id.rawValue) }
        for row in rows {
            let (sequence, name): (Int64, String) = (row["seq"], row["name"])
            let isKept = name == end || sequence == last
            // An event that cannot be read is removed, since its contents are unknown.
            guard isKept,
                let event = try? DamagedRows.value(UploadEvent.self, from: row["body"], "events", sequence)
            else {
                try db.cachedStatement(sql: "DELETE FROM events WHERE seq = ?").execute(arguments: [sequence])
                continue
            }
            try db.cachedStatement(sql: "UPDATE events SET body = ? WHERE seq = ?")
                .execute(arguments: [RowText.stored(try WireJSON.encode(event.forgotten)), sequence])
        }
    }

    /// Removes dead letters about the jobs. Letters have no index by job, since they may name their job in many places or not at all, so
    /// one pass over all letters serves a page of jobs.
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
