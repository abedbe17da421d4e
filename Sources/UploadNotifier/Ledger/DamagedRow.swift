import Uploads

/// A row of the ledger that cannot be read: another program or a broken disk has damaged it.
struct DamagedRow: Error {
    /// `jobs`, `events` and so on.
    var table: String
    /// The key by which the row is found.
    var row: String
    var why: String

    init(_ table: String, _ row: String, _ error: any Error) {
        self.table = table
        self.row = String(row.prefix(100))
        why = LedgerFailure.words(for: error)
    }

    init(_ table: String, _ row: String, why: String) {
        self.table = table
        self.row = String(row.prefix(100))
        self.why = why
    }

    /// A text for the operator, with the remedy. A job whose row is deleted is recorded anew from its next message.
    var text: String {
        let remedy =
            table == "jobs"
            ? "put a backup in the ledger's place, or delete that row of the table 'jobs', so that the job is recorded anew"
            : "put a backup in the ledger's place, or delete that row of the table '\(table)'"
        return "the ledger's row of \(table == "jobs" ? "job" : table) \(row) cannot be read (\(why)); \(remedy)"
    }

    var failure: UploadError { UploadError(.checksumMismatch, text, retry: .never, cause: self) }
}
