import Foundation
import GRDB
package import Uploads

extension Ledger: StagingQueries {
    static let stagedSQL = "SELECT id, record FROM jobs WHERE staged = ? ORDER BY seq"

    package func jobs(
        naming names: Set<String>, inArea area: String
    ) async throws(UploadError) -> [String: [LedgerJob]] {
        try await read { [rows] db in
            let statement = try db.cachedStatement(sql: Self.stagedSQL)
            var jobs: [String: [LedgerJob]] = [:]
            for name in names {
                let found = try Row.fetchAll(statement, arguments: [name]).map { row in
                    rows.job(row["record"], id: row["id"]) ?? .open(name, inArea: area)
                }.filter { job in
                    if case .staged(area, _) = job.baton.job.source { true } else { false }
                }
                if !found.isEmpty { jobs[name] = found }
            }
            return jobs
        }
    }
}

extension LedgerJob {
    /// Stands in for a job whose row cannot be read: its copy may still be needed.
    static func open(_ name: String, inArea area: String) -> LedgerJob {
        let order = UploadJob(
            source: .staged(area: area, name: name), destination: .url("https://damaged.invalid/"), size: 0)
        return LedgerJob(Baton(job: order), isWhole: false, at: order.enqueuedAt)
    }
}
