import Foundation
import Testing

@testable import Uploads

@Suite struct SweepRuleTests {
    static let day: TimeInterval = 86_400
    static let now = Date(timeIntervalSince1970: 1_800_000_000)

    static func job(_ end: EventKind? = nil, endedDaysAgo days: Double = 0) -> LedgerJob {
        var job = LedgerJob(
            Baton(
                job: UploadJob(
                    source: .inline(Data()), destination: .named(DestinationName(unchecked: "a"), key: "k"), size: 0)),
            isWhole: true, at: now)
        job.end = end.map { RoundEnd(kind: $0, event: "e", at: now - days * day) }
        return job
    }

    /// Owner, age in days, whether it is named, whether it is swept.
    static let table: [(SweepRule.Owner, Double, Bool, Bool)] = [
        (.session(isKnown: true), 1.1, false, true),
        (.session(isKnown: true), 0.9, false, false),
        (.session(isKnown: true), 100, true, false),
        // Another program's in a shared bucket, or of a job that this ledger never knew.
        (.session(isKnown: false), 1000, false, false),
        (.job(job()), 100, false, false),
        (.job(job(.completed)), 1.1, false, true),
        (.job(job(.completed)), 0.9, false, false),
        (.job(job(.cancelled)), 1.1, false, true),
        (.job(job(.failed, endedDaysAgo: 6.9)), 7, false, false),
        (.job(job(.failed, endedDaysAgo: 7.1)), 8, false, true),
        (.job(job(.failed, endedDaysAgo: 7.1)), 8, true, false),
        // The ledger may be new, and the job live.
        (.job(nil), 29, false, false),
        (.job(nil), 31, false, true),
        (.job(nil), 31, true, false),
    ]

    @Test(arguments: table.indices) func `in doubt nothing is swept`(index: Int) {
        let (owner, days, isNamed, isSwept) = Self.table[index]
        let upload = UnfinishedUpload(key: "k", sessionID: "s", startedAt: Self.now - days * Self.day)
        #expect(
            SweepRule().isAbandoned(upload, owner: isNamed ? .named : owner, now: Self.now) == isSwept,
            "\(Self.table[index])")
    }
}
