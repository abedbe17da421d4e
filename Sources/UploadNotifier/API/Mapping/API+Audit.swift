import Uploads
import UploadsAPI

extension API.AuditEntry {
    init(_ record: AuditRecord) {
        let entry = record.entry
        self.init(
            id: record.id, at: entry.at, by: entry.by, verb: entry.verb, subject: entry.subject,
            job: entry.job?.rawValue, matched: entry.matched, done: entry.done, reason: entry.reason)
    }
}

extension API.JobOrder {
    init(_ order: JobOrder) { self.init(verb: order.verb, by: order.by, at: order.at) }
}
