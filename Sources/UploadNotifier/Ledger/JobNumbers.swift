import GRDB
import Uploads

/// The numbers of the rows of jobs that one transaction has read or written, so that each statement about a job does not look for its
/// row by the job's id.
final class JobNumbers {
    private let db: Database
    private var numbers: [String: Int64] = [:]

    init(_ db: Database) { self.db = db }

    func note(_ number: Int64, of job: String) { numbers[job] = number }

    /// - Returns: nil if the job has no row.
    func number(of job: JobID) throws -> Int64? {
        if let number = numbers[job.rawValue] { return number }
        let number = try Int64.fetchOne(
            db.cachedStatement(sql: "SELECT seq FROM jobs WHERE id = ?"), arguments: [job.rawValue])
        if let number { note(number, of: job.rawValue) }
        return number
    }

    /// Call it when rows may have gone.
    func forget() { numbers = [:] }
}
