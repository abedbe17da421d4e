package import Foundation
import GRDB
package import Uploads

extension Ledger: SweepQueries {
    package func namedStates(failedSince: Date) async throws(UploadError) -> [UploadState] {
        try await read { [rows] db in
            let found = try Row.fetchCursor(
                db,
                sql: """
                    SELECT id, json_valid(record) AS readable, CASE WHEN json_valid(record) THEN
                    json_extract(record, '$.baton.state') END AS state, CASE WHEN json_valid(record) THEN
                    json_extract(record, '$.initialState') END AS initial
                    FROM (
                        SELECT id, plain(record) AS record FROM jobs
                        WHERE status IN ('queued', 'running', 'waiting', 'paused')
                        UNION ALL
                        SELECT id, plain(record) FROM jobs WHERE status = 'failed' AND since >= ?
                    )
                    """, arguments: [failedSince.timeIntervalSince1970])
            var states: [UploadState] = []
            while let row = try found.next() {
                let id: String = row["id"]
                guard row["readable"] as Bool? == true else {
                    rows.say(DamagedRow("jobs", id, why: "it is not JSON"))
                    continue
                }
                let texts = [row["state"] as String?, row["initial"] as String?].compactMap { $0 }
                states += Set(texts).compactMap { rows.value(UploadState.self, from: Data($0.utf8), "jobs", id) }
            }
            return states
        }
    }

    /// Looks at the jobs' rows and at their events: only the events of a completed job still name an upload that it had begun before.
    package func knowsState(
        at destination: DestinationName, key: String, toldSince: Date,
        where isMeant: @escaping @Sendable (UploadState) -> Bool
    ) async throws(UploadError) -> Bool {
        try await read { [rows] db in
            let found = try Row.fetchCursor(
                db,
                sql: """
                    WITH known AS (
                        SELECT seq, id, since, plain(record) AS record FROM jobs WHERE destination = ?1 AND key = ?2
                    )
                    SELECT DISTINCT job, state FROM (
                        SELECT id AS job, CASE WHEN json_valid(record) THEN json_extract(record, '$.baton.state') END AS state
                        FROM known WHERE since >= ?3
                        UNION ALL
                        SELECT id, CASE WHEN json_valid(record) THEN json_extract(record, '$.initialState') END
                        FROM known WHERE since >= ?3
                        UNION ALL
                        SELECT id, CASE WHEN json_valid(body) THEN
                        CASE WHEN unixepoch(json_extract(body, '$.time')) >= ?3 THEN json_extract(body, '$.data.state') END END
                        FROM (SELECT id, plain(body) AS body FROM known JOIN events ON events.job = known.seq)
                    ) WHERE state IS NOT NULL
                    """, arguments: [destination.rawValue, key, toldSince.timeIntervalSince1970.rounded(.down)])
            while let row = try found.next() {
                let (job, text): (String, String) = (row["job"], row["state"])
                if let state = rows.value(UploadState.self, from: Data(text.utf8), "jobs", job), isMeant(state) {
                    return true
                }
            }
            return false
        }
    }
}
