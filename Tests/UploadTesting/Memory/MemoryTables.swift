package import Uploads

/// A ledger's tables in memory, with transactions, one at a time.
package actor MemoryTables: LedgerTransactions {
    private var rows = MemoryStore.Rows()

    package init() {}

    package func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (any LedgerStore) throws -> Value
    ) async throws(UploadError) -> Value {
        let store = MemoryStore(rows)
        do {
            let value = try body(store)
            rows = store.rows
            return value
        } catch let error as UploadError {
            throw error
        } catch {
            throw UploadError(.unknown, LedgerFailure.words(for: error), cause: error)
        }
    }
}
