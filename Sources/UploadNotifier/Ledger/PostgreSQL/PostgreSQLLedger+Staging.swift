package import Foundation
import PostgreSQL
package import Uploads

extension PostgreSQLLedger: StagingQueries {
    package func jobs(
        naming names: Set<String>, inArea area: String
    ) async throws(UploadError) -> [String: [LedgerJob]] {
        let found = try await query(
            "SELECT staged, id, record FROM jobs WHERE sha256(staged) = ANY(\(names.map(\.digest))) ORDER BY seq")
        var jobs: [String: [LedgerJob]] = [:]
        let named = try map(found) { row -> (String, LedgerJob)? in
            let name = String(decoding: try row.get("staged", as: Data.self), as: UTF8.self)
            return (
                name, rows.job(try row.get("record"), id: try row.get("id")) ?? LedgerJob.open(name, inArea: area)
            )
        }
        for (name, job) in named {
            if case .staged(area, _) = job.baton.job.source { jobs[name, default: []].append(job) }
        }
        return jobs
    }
}

extension PostgreSQLLedger: SweepQueries {
    package func namedStates(failedSince: Date) async throws(UploadError) -> [UploadState] {
        let found = try await query(
            """
            SELECT id, state, initial_state FROM jobs WHERE (status IN ('queued', 'running', 'waiting', 'paused')
            OR status = 'failed' AND since >= \(failedSince.timeIntervalSince1970))
            AND (state IS NOT NULL OR initial_state IS NOT NULL)
            """)
        return try map(found) { row -> [UploadState]? in
            let id: String = try row.get("id")
            let texts = [
                try row.getIfPresent("state", as: Data.self), try row.getIfPresent("initial_state", as: Data.self),
            ]
            return Set(texts.compactMap { $0 }).compactMap { rows.value(UploadState.self, from: $0, "jobs", id) }
        }.flatMap { $0 }
    }

    /// Looks at the jobs' rows and at their events: only the events of a completed job still name an upload that it had begun before.
    package func knowsState(
        at destination: DestinationName, key: String, toldSince: Date,
        where isMeant: @escaping @Sendable (UploadState) -> Bool
    ) async throws(UploadError) -> Bool {
        let since = toldSince.timeIntervalSince1970.rounded(.down)
        let found = try await query(
            """
            WITH known AS (
                SELECT seq, id, since, state, initial_state FROM jobs
                WHERE destination = \(destination.rawValue) AND sha256(key) = \(key.digest)
            )
            SELECT DISTINCT id, state FROM (
                SELECT id, state FROM known WHERE since >= \(since)
                UNION ALL SELECT id, initial_state FROM known WHERE since >= \(since)
                UNION ALL SELECT id, events.state FROM known JOIN events ON events.job = known.seq
                WHERE floor(told) >= \(since)
            ) AS states WHERE state IS NOT NULL
            """)
        return try map(found) { row in
            rows.value(
                UploadState.self, from: try row.get("state", as: Data.self), "jobs", try row.get("id", as: String.self))
        }.contains(where: isMeant)
    }
}
