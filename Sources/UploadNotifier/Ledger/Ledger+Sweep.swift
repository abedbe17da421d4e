public import Foundation
import GRDB
public import Uploads

extension Ledger: SweepQueries {
    public func namedStates(failedSince: Date) async throws(UploadError) -> [UploadState] {
        try await read { [rows] db in
            let found = try Row.fetchCursor(
                db,
                sql: """
                    SELECT id, json_valid(record) AS readable, CASE WHEN json_valid(record) THEN
                    json_extract(record, '$.baton.state') END AS state, CASE WHEN json_valid(record) THEN
                    json_extract(record, '$.initialState') END AS initial
                    FROM (
                        SELECT id, CAST(record AS TEXT) AS record FROM jobs
                        WHERE status IN ('queued', 'running', 'waiting', 'paused')
                        UNION ALL
                        SELECT id, CAST(record AS TEXT) FROM jobs WHERE status = 'failed' AND since >= ?
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

    public func knowsJob(
        at destination: DestinationName, key: String, enqueuedBefore: Date
    ) async throws(UploadError) -> Bool {
        try await read { db in
            try Bool.fetchOne(
                db,
                sql: """
                    SELECT EXISTS (
                        SELECT 1 FROM jobs WHERE destination = ? AND key = ? AND enqueued < ?
                    )
                    """, arguments: [destination.rawValue, key, enqueuedBefore.milliseconds]) ?? false
        }
    }
}
