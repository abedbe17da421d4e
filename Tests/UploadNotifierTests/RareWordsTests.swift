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

    @Test(
        arguments: [
            ([("note", 1, "note", 1), ("eteran", 0.5, "eran", 0.5)], ["eran"]),
            ([("note", 1, "note", 1), ("tering", 0.5, "ring", 0.9)], ["tering"]),
            ([("eteran", 0.5, "eran", 0.5), ("-77", 0.01, "-77", 0.01)], ["-77"]),
            ([("efused", 0.05, "used", 0.05), ("500003", 0, "0003", 0)], ["500003"]),
            ([("owner", 1, "wner", 1)], []), ([], []),
        ] as [([(String, Double, String, Double)], [String])])
    func `rare words are asked for, else parts of words that tell something`(
        words: [(String, Double, String, Double)], chosen: [String]
    ) {
        let words = words.map { RareWords.Sampled(word: $0.0, share: $0.1, part: $0.2, partShare: $0.3) }
        #expect(RareWords.chosen(words).words == chosen)
    }

    @Test(arguments: [("=veteran", "eteran"), ("veteran=", "eteran"), ("=user-", "user"), ("-77", "-77"), ("", "")])
    func `a word is asked for by its last letters`(word: String, ending: String) {
        #expect(RareWords.ending(of: word, 6) == ending)
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

    @Test(arguments: LedgerFilter.Order.allCases)
    func `jobs of several blocks are found in their order, page by page`(order: LedgerFilter.Order) async throws {
        let (url, schema) = (try await PostgreSQLNode.shared().url, "search_\(UUID().text.replacing("-", with: ""))")
        let ledger = try await PostgreSQLLedger.open(url, schema: schema)
        try await eventually("the shard is free") { ledger.kept(of: .one) == [0] }
        let client = PostgreSQLClient(try PostgreSQLLedger.configuration(url, password: nil, schema: schema))
        var wanted: [JobID] = []
        for block in 1...4 as ClosedRange<Int64> {
            let next = block * 65_536 - 5
            _ = try await client.execute("SELECT setval(pg_get_serial_sequence('jobs', 'seq'), \(next))")
            let jobs = (0..<20).map { number in
                var job = Sample.job(key: "IMG_\(number).jpg")
                job.metadata = ["note": block == 3 || number % 3 == 0 ? "recruit" : "veteran"]
                job.batch = block == 1 ? "first" : nil
                return job
            }
            _ = try await ledger.record(
                jobs.map { .job($0, maybeRepeated: false) }, view: ControlView(), routes: [], now: Sample.start)
            wanted += jobs.filter { $0.metadata["note"] == "veteran" }.map(\.id)
        }
        // So many texts at either end that the others are not found by comparing one after the other, and that no job is one of few.
        _ = try await client.execute(
            """
            INSERT INTO texts (job, text) SELECT number, 'img_x.jpg\nnote=recruit'
            FROM (SELECT generate_series(1, 5001) UNION ALL SELECT generate_series(400000, 405001)) AS new (number)
            """)
        _ = try await client.execute("UPDATE tallies SET jobs = 100000")
        var filter = LedgerFilter(order: order, limit: 7)
        filter.text = "note=veteran"
        var found: [JobID] = []
        repeat {
            let page = try await ledger.jobs(filter)
            found += page.jobs.map(\.id)
            #expect(page.jobs.count == 7 || page.next == nil)
            filter.after = page.next
        } while filter.after != nil
        #expect(found == (order == .oldestFirst ? wanted : wanted.reversed()))
        // The few jobs of a batch are found at once, though all others have the text, too.
        var batch = LedgerFilter(order: order)
        (batch.batch, batch.text) = ("first", "img_")
        let first = try await ledger.jobs(batch)
        #expect(first.jobs.count == 20 && first.next == nil)
        var asked = OrderFilter()
        asked.text = "note=veteran"
        #expect(try await ledger.preview(asked, for: .cancel, bounds: .init()) == .init(matched: wanted.count))
        var bounds = OrderPreview.Bounds()
        bounds.examinedMaximum = 9
        #expect(
            try await ledger.preview(asked, for: .cancel, bounds: bounds) == .init(matched: 9, mayBeMore: true))
        await client.close()
        await ledger.close()
    }
}
