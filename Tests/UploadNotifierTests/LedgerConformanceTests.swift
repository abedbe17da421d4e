import Foundation
import Testing
import UploadTesting
import Uploads

@testable import UploadNotifier

@Suite("The SQLite ledger behind its ports", .timeLimit(.minutes(10)))
struct LedgerConformanceTests {
    @Test(arguments: LedgerConformance.rules)
    func `does what every ledger must do`(rule: LedgerConformance.Rule) async throws {
        let scratch = try Scratch()
        // The files are removed with the directory, which has to exist until the check is over.
        let suite = LedgerConformance(LedgerConformance.Traits(keepsNewestEvent: true) { try Ledger.open(path: $0) }) {
            try Ledger.open(path: scratch.file("\(UUID().uuidString).sqlite"))
        } reopen: { ledger in
            try await ledger.close()
            return try Ledger.open(path: ledger.path)
        }
        try await rule.check(suite)
        withExtendedLifetime(scratch) {}
    }
}
