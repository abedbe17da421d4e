public import Foundation
import GRDB
public import Uploads

extension Ledger: SweepQueries {
    public func namedStates(failedSince: Date) async throws(UploadError) -> [UploadState] {
        try await read { db in
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT json_extract(record, '$.baton.state') AS state, json_extract(record, '$.initialState') AS initial
                    FROM (
                        SELECT CAST(record AS TEXT) AS record FROM jobs
                        WHERE status IN ('queued', 'running', 'waiting', 'paused')
                        UNION ALL
                        SELECT CAST(record AS TEXT) FROM jobs WHERE status = 'failed' AND since >= ?
                    )
                    """, arguments: [failedSince.timeIntervalSince1970])
            var states: [UploadState] = []
            while let row = try rows.next() {
                let texts = [row["state"] as String?, row["initial"] as String?].compactMap { $0 }
                states += try Set(texts).map { try WireJSON.decode(UploadState.self, from: Data($0.utf8)) }
            }
            return states
        }
    }

    public func knowsJob(
        at destination: DestinationName, key: String, enqueuedBefore: Date
    ) async throws(UploadError) -> Bool {
        try await read { db in
            // Times on the wire sort as text.
            try Bool.fetchOne(
                db,
                sql: """
                    SELECT EXISTS (
                        SELECT 1 FROM jobs WHERE destination = ? AND key = ?
                        AND json_extract(CAST(record AS TEXT), '$.baton.job.enqueuedAt') < ?
                    )
                    """, arguments: [destination.rawValue, key, WireJSON.timestamp(enqueuedBefore)]) ?? false
        }
    }
}
