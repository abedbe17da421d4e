import Foundation
import GRDB
import Testing
import Uploads

@testable import UploadNotifier

@Suite struct JobTextsTests {
    @Test func `each transaction makes one segment of the index of texts, in whatever order its jobs come`()
        async throws
    {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        // FTS5 must not merge the segments.
        try await ledger.write { db in
            for setting in ["automerge', 0", "crisismerge', 1999"] {
                try db.execute(sql: "INSERT INTO jobs_text (jobs_text, rank) VALUES ('\(setting))")
            }
        }
        func segmentCount() async throws -> Int? {
            try await ledger.read { try Int.fetchOne($0, sql: "SELECT count(DISTINCT segid) FROM jobs_text_idx") }
        }
        func found(_ text: String) async throws -> Int {
            var filter = LedgerFilter(limit: 1000)
            filter.text = text
            return try await ledger.jobs(filter).jobs.count
        }
        func record(_ messages: [NotifierMessage]) async throws {
            let owed = try await ledger.record(messages, view: ControlView(), routes: [], now: Sample.start)
            ledger.settle(owed.map(\.id))
        }
        let jobs = (0..<100).map { Sample.job(key: "IMG_\($0).jpg") }
        try await record(jobs.map { .job($0, maybeRepeated: false) })
        #expect(try await segmentCount() == 1)
        let waiting = jobs.shuffled().map { job in
            var baton = Baton(job: job)
            let error = UploadError(.serverFailure, "weary server")
            baton.failures = [FailureRecord(at: Sample.start, attempt: 1, error: error)]
            return UploadEvent(kind: .waiting, of: baton, at: Sample.start)
        }
        let failed = jobs.shuffled().map { job in
            let error = UploadError(.rejected, "dreary server")
            return UploadEvent(outcome: .failed(error, state: nil), of: Baton(job: job), at: Sample.start)
        }
        for (events, word, count) in [(waiting, "weary", 2), (failed, "dreary", 3)] {
            try await record(events.map { .event($0) })
            #expect(try await segmentCount() == count)
            #expect(try await found(word) == jobs.count)
        }
        #expect(try await found("weary") == 0)
        #expect(try await ledger.prune(endedBefore: Sample.start + 1, besides: ControlView(), limit: 40) == 40)
        #expect(try await segmentCount() == 4)
        #expect(try await found("dreary") == 60)
        // FTS5 compares its index with the table (https://sqlite.org/fts5.html#the_integrity_check_command).
        try await ledger.write {
            try $0.execute(sql: "INSERT INTO jobs_text (jobs_text, rank) VALUES ('integrity-check', 1)")
        }
    }
}
