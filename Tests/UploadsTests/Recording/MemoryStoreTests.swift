import Testing
import UploadTesting

/// The tables that the model checker explores obey the rules that a ledger's tables obey.
@Suite("Tables of a ledger in memory", .timeLimit(.minutes(10)))
struct MemoryStoreTests {
    @Test(arguments: LedgerConformance.storeRules)
    func `do what a ledger's tables must do`(rule: LedgerConformance.StoreRule) async throws {
        try await rule.check(MemoryTables())
    }
}
