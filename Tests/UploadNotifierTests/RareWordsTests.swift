import Foundation
import PostgreSQL
import Testing
import UploadTesting
import Uploads

@testable import UploadNotifier

@Suite("The search for rare texts in PostgreSQL", .timeLimit(.minutes(5)))
struct RareWordsTests {
    @Test(arguments: [
        ("owner=user-77", ["owner=", "=user-", "-77"]), ("owner=user-7", ["owner=", "=user-"]),
        ("img_5.jpg", ["img_", "_5.", ".jpg"]), ("a-bc-d", ["-bc-"]), ("größte", ["grö", "ßte"]),
        ("Größenwahn", ["Grö", "ßenwahn"]),
        ("é-", []), ("", []),
    ])
    func `words come with the characters beside them`(text: String, words: [String]) {
        #expect(RareWords.words(of: text) == words)
    }

    @Test func `a pattern means each character as it is, also with an accent`() {
        let pattern = PostgreSQLSearch.pattern("100%\u{301}_\\")
        #expect(pattern.unicodeScalars.elementsEqual("%100\\%\u{301}\\_\\\\%".unicodeScalars))
    }

    @Test func `a rare text is found among many that have its common words`() async throws {
        let (url, schema) = (try await PostgreSQLNode.shared().url, "search_\(UUID().text.replacing("-", with: ""))")
        let ledger = try await PostgreSQLLedger.open(url, schema: schema)
        try await eventually("the shard is free") { ledger.kept(of: .one) == [0] }
        let owners = [
            "user-zz7", "user-zz78", "100%_sure\\", "user-größe-7", "a-b", "user-7", "\u{1F30A}\u{1F30A}\u{1F30A}",
        ]
        let jobs = (0..<owners.count * 3).map { number in
            var job = Sample.job(key: "IMG_\(number).jpg")
            job.metadata = ["owner": owners[number % owners.count]]
            return job
        }
        _ = try await ledger.record(
            jobs.map { .job($0, maybeRepeated: false) }, view: ControlView(), routes: [], now: Sample.start)
        // More texts behind them than are compared one after the other; a search that shows such a job cannot read its record.
        let client = PostgreSQLClient(try PostgreSQLLedger.configuration(url, password: nil, schema: schema))
        _ = try await client.execute(
            """
            INSERT INTO texts (job, text)
            SELECT 1000 + number, 'img_x' || number || E'.jpg\\nowner=user-' || number
            FROM generate_series(100000, 115000) AS number
            """)
        func found(_ text: String) async throws -> Set<JobID> {
            var filter = LedgerFilter(limit: 100)
            filter.text = text
            return Set(try await ledger.jobs(filter).jobs.map(\.id))
        }
        let needles =
            owners.map { "owner=\($0)" } + [
                "USER-ZZ7", "zz7", "img_20.jpg", "r-gr", "%_s", "a-b", "=a-b", "no such text",
            ]
        for needle in needles {
            let wanted = jobs.filter { job in
                "\(job.destination.label)\n\(SearchText.of(LedgerJob(Baton(job: job), isWhole: true, at: Sample.start)))"
                    .contains(needle.lowercased())
            }
            #expect(try await found(needle) == Set(wanted.map(\.id)), "\(needle)")
        }
        await client.close()
        await ledger.close()
    }
}
