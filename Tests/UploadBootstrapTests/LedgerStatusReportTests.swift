import Foundation
import Testing
import Uploads

@testable import UploadBootstrap

struct LedgerStatusReportTests {
    private static let identity = LedgerIdentity(id: UUID(), opening: UUID())
    private static let claim = LedgerClaim(ledger: identity.id, term: 1, opening: identity.opening)

    private func report(
        _ verdict: LedgerVerdict = .own(claim), holders: [String: [Int]] = ["db1, process 12": [0]],
        _ depth: LaneDepth? = LaneDepth(messages: 0, consumers: 1)
    ) -> LedgerStatusReport {
        LedgerStatusReport(
            namespace: "upload", verdict: verdict, identity: Self.identity, place: "/var/lib/a\u{1B}[2J.sqlite",
            LedgerOverview(database: "SQLite 3.40.1", schema: 21, bytes: 1_572_864, jobCount: 3, holders: holders),
            depth)
    }

    @Test func `it names the ledger, its notifier and what waits, and no control character`() {
        #expect(
            report(.own(Self.claim), LaneDepth(messages: 17, consumers: 1)).lines == [
                "namespace  upload has this ledger", "ledger     \(Self.identity.id.uuidString.lowercased())",
                "place      /var/lib/a\u{FFFD}[2J.sqlite", "database   SQLite 3.40.1, schema 21, 1.50 MiB",
                "jobs       3", "notifier   db1, process 12", "backlog    17 messages wait",
            ])
        #expect(report(.unclaimed, nil).lines.last == "backlog    the broker has no queue for it yet")
        #expect(
            report(.unclaimed, LaneDepth(messages: 1, consumers: 0)).lines.last
                == "backlog    1 message waits, and no notifier takes messages")
        #expect(report(.otherCopy(Self.claim)).lines[0].contains("newer copy"))
        #expect(report(.otherLedger(Self.claim)).lines[0].contains("another ledger"))
    }

    @Test func `a ledger is at work when the namespace has it, and a notifier takes events into it`() {
        #expect(report().isAtWork)
        #expect(!report(.otherLedger(Self.claim)).isAtWork)
        #expect(!report(.otherCopy(Self.claim)).isAtWork)
        #expect(!report(.unclaimed).isAtWork)
        #expect(!report(holders: [:]).isAtWork)
        #expect(!report(.own(Self.claim), LaneDepth(messages: 0, consumers: 0)).isAtWork)
        #expect(!report(.own(Self.claim), nil).isAtWork)
    }
}
