import GRDB
package import Uploads

extension Ledger {
    package func reports(of jobs: [JobID]) async throws(UploadError) -> [OrderAnswer.Job] {
        try await read { [rows] db in
            let found = try Row.fetchAll(
                db.cachedStatement(sql: "SELECT id, record FROM jobs WHERE id IN (SELECT value FROM json_each(?))"),
                arguments: [try Self.list(jobs.map(\.rawValue))])
            var answers: [String: OrderAnswer.Job] = [:]
            for row in found {
                let name: String = row["id"]
                guard let id = JobID(name) else { continue }
                do throws(DamagedRow) {
                    let known = try DamagedRows.job(row["record"], id: name)
                    answers[name] = OrderAnswer.Job(id: id, report: JobReport(known))
                } catch {
                    rows.say(error)
                    answers[name] = OrderAnswer.Job(id: id, reason: error.text)
                }
            }
            return jobs.map { answers[$0.rawValue] ?? OrderAnswer.Job(id: $0, reason: "the ledger knows no job \($0)") }
        }
    }
}
