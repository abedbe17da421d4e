import Crypto
import Foundation
import Uploads

extension LedgerCopy {
    /// Compares all tables of the source with those of the destination.
    /// - Throws: `checksumMismatch` with the first table that differs.
    static func check(
        _ source: any LedgerCopySource, _ destination: any LedgerCopyDestination, _ progress: (CopyProgress) -> Void
    ) async throws(UploadError) -> [CopiedTable] {
        var tables: [CopiedTable] = []
        for table in LedgerTable.all {
            let total = try await source.count(of: table)
            let original = try await read(table, of: source) { done in
                progress(CopyProgress(step: .checking, table: table.name, done: done / 2, total: total))
            }
            let copy = try await read(table, of: destination) { done in
                progress(CopyProgress(step: .checking, table: table.name, done: (total + done) / 2, total: total))
            }
            guard original == copy else {
                let difference =
                    original.count == copy.count
                    ? "other values in some of its \(copy.count) rows"
                    : "\(copy.count) rows instead of \(original.count)"
                throw UploadError(
                    .checksumMismatch,
                    "the copy of the table '\(table.name)' in \(destination.path) has \(difference) than the original in \(source.path): "
                        + "another program has written to it, or its disk is damaged; name a new destination, and copy again"
                )
            }
            tables.append(copy)
        }
        return tables
    }

    private static func read(
        _ table: LedgerTable, of ledger: any LedgerCopyTables, _ progress: (Int) -> Void
    ) async throws(UploadError) -> CopiedTable {
        var digest = SHA256()
        var (count, key): (Int, LedgerRow) = (0, [])
        while true {
            try checkCancellation()
            let rows = try await ledger.page(of: table, after: key, limit: pageCount)
            guard let last = rows.last else { break }
            for row in rows {
                for value in table.compared(row) { value.add(to: &digest) }
            }
            count += rows.count
            key = table.key(of: last)
            progress(count)
        }
        return CopiedTable(name: table.name, count: count, digest: Data(digest.finalize()))
    }
}
