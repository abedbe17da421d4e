import Uploads

/// Reads the tables of a ledger that no notifier works with.
protocol LedgerCopyTables: Sendable {
    /// Where the ledger is, for messages; holds no password.
    var path: String { get }

    /// How many rows of a table are copied.
    func count(of table: LedgerTable) async throws(UploadError) -> Int

    /// The next rows of a table in the order of their keys. A page ends with the row with which it reaches ``LedgerCopy/pageBytes``.
    /// - Parameters:
    ///   - key: the key of the row after which the page begins; empty: the first page.
    ///   - limit: the most rows of the page.
    /// - Returns: an empty page after the last row.
    func page(of table: LedgerTable, after key: LedgerRow, limit: Int) async throws(UploadError) -> [LedgerRow]
}

/// A ledger that is copied.
protocol LedgerCopySource: LedgerCopyTables {
    func identity() async throws(UploadError) -> LedgerIdentity

    /// The last number that each table with numbered rows has given to a row, which may be gone.
    func lastNumbers() async throws(UploadError) -> [String: Int64]

    /// - Throws: `rejected` if a notifier may have worked with the ledger since it was opened for the copy.
    func checkUnchanged() async throws(UploadError)
}

/// A ledger that a copy fills. Each call is one transaction.
protocol LedgerCopyDestination: LedgerCopyTables {
    /// How far the unfinished copy in this ledger has come; nil if there is none.
    func mark() async throws(UploadError) -> CopyMark?

    /// Begins a copy in empty tables. From now on no notifier can open the ledger.
    func begin(_ mark: CopyMark) async throws(UploadError)

    /// Empties the tables, and begins anew.
    func restart(_ mark: CopyMark) async throws(UploadError)

    /// Writes rows, and how far the copy has come with them.
    /// - Parameter emptying: whether the table is emptied first.
    func write(_ rows: [LedgerRow], to table: LedgerTable, emptying: Bool, _ mark: CopyMark) async throws(UploadError)

    /// Makes the ledger one that a notifier can open.
    /// - Parameters:
    ///   - identity: the identity of the source, which becomes that of this ledger.
    ///   - numbers: see ``LedgerCopySource/lastNumbers()``; new rows get greater numbers.
    func finish(_ identity: LedgerIdentity, numbers: [String: Int64]) async throws(UploadError)
}
