import Foundation
import GRDB
public import Uploads

extension Ledger: StagingQueries {
    static let stagedSQL = "SELECT record FROM jobs WHERE staged = ? ORDER BY seq"

    public func jobs(
        naming names: Set<String>, inArea area: String
    ) async throws(UploadError) -> [String: [LedgerJob]] {
        try await read { db in
            let statement = try db.cachedStatement(sql: Self.stagedSQL)
            var jobs: [String: [LedgerJob]] = [:]
            for name in names {
                let found = try Data.fetchAll(statement, arguments: [name]).map {
                    try WireJSON.decode(LedgerJob.self, from: $0)
                }.filter { job in
                    if case .staged(area, _) = job.baton.job.source { true } else { false }
                }
                if !found.isEmpty { jobs[name] = found }
            }
            return jobs
        }
    }
}
