/// A row of a ledger that cannot be read: another program or a broken disk has damaged it.
package struct DamagedRow: Error {
    /// `jobs`, `events` and so on.
    package var table: String
    /// The key by which the row is found.
    package var row: String
    package var why: String

    package init(_ table: String, _ row: String, _ error: any Error) {
        self.table = table
        self.row = String(row.prefix(100))
        why = LedgerFailure.words(for: error)
    }

    package init(_ table: String, _ row: String, why: String) {
        self.table = table
        self.row = String(row.prefix(100))
        self.why = why
    }

    /// A text for the operator, with the remedy. A job whose row is deleted is recorded anew from its next message.
    package var text: String {
        let remedy =
            table == "jobs"
            ? "put a backup in the ledger's place, or delete that row of the table 'jobs', so that the job is recorded anew"
            : "put a backup in the ledger's place, or delete that row of the table '\(table)'"
        return "the ledger's row of \(table == "jobs" ? "job" : table) \(row) cannot be read (\(why)); \(remedy)"
    }

    package var failure: UploadError { UploadError(.checksumMismatch, text, retry: .never, cause: self) }
}
