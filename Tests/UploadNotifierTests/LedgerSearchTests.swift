import Foundation
import GRDB
import Synchronization
import Testing
import Uploads

@testable import UploadNotifier

/// Listings of a ledger with many jobs: right, and by an index. `LONGSHORE_LEDGER_JOBS` makes it a million.
@Suite("Searching a large ledger", .timeLimit(.minutes(60)))
struct LedgerSearchTests {
    private static let count = ProcessInfo.processInfo.environment["LONGSHORE_LEDGER_JOBS"].flatMap(Int.init) ?? 20_000

    private static let statuses: [LedgerStatus] = [.completed, .completed, .completed, .failed, .queued, .waiting]

    private static func job(_ number: Int) -> LedgerJob {
        let queue = QueueName(unchecked: ["default", "video", "rare"][number % 1000 == 0 ? 2 : number % 2])
        var order = UploadJob(
            queue: queue, source: .staged(area: "area", name: "staged-\(number)"),
            destination: .named(DestinationName(unchecked: ["a", "b", "c"][number % 3]), key: "IMG_\(number).jpg"),
            size: 1, metadata: metadata(of: number),
            enqueuedAt: Sample.start + Double(number / 3) / 1000)
        order.batch = number % 4 == 0 ? "batch-\(number % 40)" : nil
        order.idempotencyKey = number % 5 == 0 ? "key-\(number / 10)" : nil
        order.client = number % 2 == 0 ? "app-\(number % 4)" : nil
        var job = LedgerJob(Baton(job: order), isWhole: true, at: order.enqueuedAt)
        job.status = number % 5000 == 1 ? .cancelled : statuses[number % statuses.count]
        job.since = order.enqueuedAt + 5
        if job.status == .failed {
            let error = UploadError(number % 4 == 1 ? .accessDenied : .noSpace, "it failed")
            job.end = RoundEnd(kind: .failed, event: "end", at: job.since, error: error)
        }
        return job
    }

    /// Metadata that only old jobs have, and many of them.
    private static func metadata(of number: Int) -> [String: String] {
        let owner = ["owner": "user-\(number % 997)"]
        return number < count / 4 ? owner.merging(["note": "veteran"]) { $1 } : owner
    }

    private static func insert(_ numbers: Range<Int>, in db: Database) throws {
        var derived = DerivedRows()
        for number in numbers { try JobRow.insert(job(number), whole: nil, &derived, in: db) }
        try derived.write(in: db)
    }

    private static func filled(_ scratch: Scratch) async throws -> Ledger {
        let ledger = try Ledger.open(path: scratch.file())
        for start in stride(from: 0, to: count, by: 5000) {
            try await ledger.write { try insert(start..<min(start + 5000, count), in: $0) }
        }
        return ledger
    }

    private static let filters: [LedgerFilter] = {
        let changes: [(inout LedgerFilter) -> Void] = [
            { _ in }, { $0.statuses = [.failed] }, { $0.statuses = [.cancelled, .paused] },
            { $0.statuses = [.queued, .running, .waiting, .paused] }, { $0.queue = QueueName(unchecked: "rare") },
            { $0.queue = QueueName(unchecked: "nobody's") }, { $0.destination = "b" },
            {
                $0.queue = QueueName(unchecked: "video")
                $0.destination = "c"
                $0.statuses = [.completed]
            }, { $0.batch = "batch-8" },
            {
                $0.batch = "batch-8"
                $0.statuses = [.cancelled]
            },
            {
                $0.batch = "batch-8"
                $0.statuses = [.completed, .failed]
            }, { $0.idempotencyKey = "key-100" }, { $0.text = "img_77" }, { $0.text = "jpg" },
            { $0.text = "note=veteran" },
            {
                $0.text = "note=veteran"
                $0.statuses = [.completed]
            },
            {
                $0.text = "jpg"
                $0.queue = QueueName(unchecked: "video")
                $0.enqueuedUntil = Sample.start + Double(count) / 5000
            }, { $0.text = "owner=USER-99\n" }, { $0.text = "not there" },
            {
                $0.text = "staged-1"
                $0.statuses = [.failed]
                $0.destination = "a"
            },
            {
                $0.text = ".jpg"
                $0.batch = "batch-12"
            }, { $0.enqueuedSince = Sample.start + Double(count) / 4000 },
            {
                $0.enqueuedUntil = Sample.start + 0.5
                $0.statuses = [.completed]
            }, { $0.code = .accessDenied },
            {
                $0.code = .noSpace
                $0.destination = "a"
                $0.endedSince = Sample.start + 5 + Double(count) / 6000
            },
            {
                $0.code = .noSpace
                $0.batch = "batch-8"
            }, { $0.client = "app-2" },
            {
                $0.client = "app-0"
                $0.statuses = [.failed]
                $0.queue = QueueName(unchecked: "rare")
            }, { $0.endedSince = Sample.start + 5 + Double(count) / 3500 },
            {
                $0.endedUntil = Sample.start + 5 + Double(count) / 6000
                $0.destination = "b"
            },
            {
                $0.endedUntil = Sample.start + 5.01
                $0.text = "jpg"
            },
        ]
        return changes.flatMap { change in
            LedgerFilter.Order.allCases.map { order in
                var filter = LedgerFilter(order: order, limit: 37)
                change(&filter)
                return filter
            }
        }
    }()

    /// The meaning of a filter, computed in another way.
    private static func matches(_ number: Int, _ filter: LedgerFilter) -> Bool {
        let job = job(number)
        let order = job.baton.job
        let text = [
            "staged-\(number)", "img_\(number).jpg", number < count / 4 ? "note=veteran" : nil,
            "owner=user-\(number % 997)", order.batch, order.idempotencyKey, job.end?.error?.message,
        ].compactMap { $0 }.joined(separator: "\n")
        let holds: [Bool?] = [
            filter.statuses?.contains(job.status), filter.queue.map { $0 == order.queue },
            filter.destination.map { $0 == order.destination.label }, filter.batch.map { $0 == order.batch },
            filter.idempotencyKey.map { $0 == order.idempotencyKey },
            filter.text.map { text.contains($0.lowercased()) }, filter.enqueuedSince.map { order.enqueuedAt >= $0 },
            filter.enqueuedUntil.map { order.enqueuedAt < $0 }, filter.client.map { $0 == order.client },
            filter.code.map { job.failureCode == $0 },
            filter.endedSince.map { job.status.isEnd && job.since >= $0 },
            filter.endedUntil.map { job.status.isEnd && job.since < $0 },
        ]
        return !holds.contains(false)
    }

    private static func key(of job: LedgerJob) -> String {
        if case .staged(_, let name) = job.baton.job.source { name } else { "" }
    }

    @Test func `every page of every filter is right and found by an index`() async throws {
        let scratch = try Scratch()
        let ledger = try await Self.filled(scratch)
        for filter in Self.filters {
            let numbers = filter.order == .oldestFirst ? Array(0..<Self.count) : (0..<Self.count).reversed()
            let wanted = numbers.lazy.filter { Self.matches($0, filter) }.prefix(100).map { "staged-\($0)" }
            var found: [String] = []
            var page = filter
            while found.count < 100 {
                let (answer, plans) = try await Self.explained(page, ledger)
                for plan in plans {
                    #expect(!plan.contains { $0.hasPrefix("SCAN jobs") && !$0.contains("INDEX") }, "\(filter): \(plan)")
                    // Only searches that examine few jobs one by one may sort.
                    let isSorted = plan.contains { $0.contains("TEMP B-TREE") }
                    #expect(!isSorted || plan.contains { $0.contains("json_each") }, "\(filter): \(plan)")
                }
                #expect(answer.jobs.count == filter.limit || filter.text != nil || answer.next == nil)
                found += answer.jobs.map(Self.key)
                guard let next = answer.next else { break }
                page.after = next
            }
            #expect(Array(found.prefix(100)) == Array(wanted), "\(filter)")
        }
        try ledger.close()
    }

    @Test func `a page by text ends when enough was looked at, and the next goes on there`() async throws {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        try await ledger.write { try Self.insert(0..<1000, in: $0) }
        var bounds = TextSearch.Bounds()
        (bounds.candidateCountMaximum, bounds.stepCount, bounds.fewMaximum) = (4, 4, 0)
        for order in LedgerFilter.Order.allCases {
            var filter = LedgerFilter(queue: QueueName(unchecked: "video"), order: order, limit: 10)
            filter.text = "_99"
            let wanted = (0..<1000).filter { Self.matches($0, filter) }.map { "staged-\($0)" }
            #expect(!wanted.isEmpty)
            var counts: [Int] = []
            var found: [String] = []
            repeat {
                let (asked, bounds) = (filter, bounds)
                let page = try await ledger.read { db in
                    try TextSearch(asked, for: "_99", in: db, ledger.rows, bounds: bounds).page()
                }
                counts.append(page.jobs.count)
                found += page.jobs.map(Self.key)
                filter.after = page.next
            } while filter.after != nil
            #expect(found == (order == .oldestFirst ? wanted : wanted.reversed()))
            // Every second candidate belongs to another queue.
            #expect(counts.allSatisfy { $0 <= 4 } && counts.contains { (1..<4).contains($0) })
        }
    }

    @Test(arguments: [0, 40, 100_000])
    func `an order with a filter finds the same jobs, however many are sorted or walked for a page`(
        fewMaximum: Int
    ) async throws {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        try await ledger.write { try Self.insert(0..<1000, in: $0) }
        var bounds = OrderSearch.Bounds()
        (bounds.fewMaximum, bounds.walkMaximum) = (fewMaximum, 90)
        let ids = try await ledger.read { try String.fetchAll($0, sql: "SELECT id FROM jobs ORDER BY seq") }
        for listing in Self.filters where listing.order == .oldestFirst {
            var filter = OrderFilter(
                queue: listing.queue, destination: listing.destination, batch: listing.batch,
                endedUntil: listing.endedUntil, statuses: listing.statuses ?? Set(LedgerStatus.allCases))
            (filter.idempotencyKey, filter.text) = (listing.idempotencyKey, listing.text)
            (filter.code, filter.client, filter.endedSince) = (listing.code, listing.client, listing.endedSince)
            (filter.enqueuedSince, filter.enqueuedUntil) = (listing.enqueuedSince, listing.enqueuedUntil)
            let wanted = (0..<1000).filter { Self.matches($0, listing) }.map { ids[$0] }.sorted()
            let (asked, limits) = (filter, bounds)
            let (found, pages, count) = try await ledger.read { db in
                let search = OrderSearch(asked, .runAgain, in: db, bounds: limits)
                var (found, after, pages): ([String], JobID?, Int) = ([], nil, 0)
                repeat {
                    let page = try search.page(after: after, limit: 37)
                    found += page.jobs.map(\.rawValue)
                    (after, pages) = (page.next, pages + 1)
                } while after != nil
                return (found, pages, try search.count())
            }
            #expect(found == wanted && count == wanted.count, "\(listing)")
            #expect(pages <= 1000 / 90 + 1000 / 37 + 3, "\(listing)")
        }
        try ledger.close()
    }

    @Test func `jobs that end, fail, are paused and are removed stay where an order looks for them`() async throws {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        try await ledger.write { try Self.insert(0..<300, in: $0) }
        let live = try await ledger.jobs(LedgerFilter(statuses: [.queued, .waiting], limit: 1000)).jobs
        let pausing = UploadOrder(.jobs(.pause, live.prefix(20).map(\.id)), by: "jo")
        while try await ledger.carryOut(pausing, view: ControlView(), routes: [], now: Sample.start).answer == nil {}
        for fewMaximum in [0, 1000] {
            var bounds = OrderSearch.Bounds()
            bounds.fewMaximum = fewMaximum
            let limits = bounds
            let (page, count) = try await ledger.read { db in
                let search = OrderSearch(OrderFilter(), .resume, in: db, bounds: limits)
                return (try search.page(after: nil, limit: 500), try search.count())
            }
            #expect(page.jobs == live.prefix(20).map(\.id).sorted() && page.next == nil && count == 20)
        }
        let rows = try await ledger.read { db in
            try Int.fetchOne(
                db,
                sql: "SELECT count(*) FROM jobs WHERE (code IS NULL) = (status = 'failed') OR keeps_pause NOT IN (0, 1)"
            )
        }
        #expect(rows == 0)
    }

    /// With no time, every page ends with its first step.
    @Test(arguments: LedgerFilter.Order.allCases, [0, 4000])
    func `paging finds all jobs that match, however few, and however many were removed`(
        order: LedgerFilter.Order, fewMaximum: Int
    ) async throws {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        try await ledger.write { db in
            try Self.insert(0..<3000, in: db)
            try JobRow.remove(String.fetchAll(db, sql: "SELECT id FROM jobs WHERE seq BETWEEN 500 AND 1800"), in: db)
        }
        var bounds = TextSearch.Bounds()
        (bounds.pageMaximum, bounds.stepCount, bounds.fewMaximum) = (.zero, 7, fewMaximum)
        for (text, queue) in [("note=veteran", "rare"), ("owner=user-5", "video"), ("_24", "video"), ("jpg", "rare")] {
            var filter = LedgerFilter(queue: QueueName(unchecked: queue), order: order, limit: 10)
            filter.text = text
            let numbers = (0..<3000).filter { !(499..<1800).contains($0) && Self.matches($0, filter) }
            #expect(!numbers.isEmpty)
            var found: [String] = []
            var pageCount = 0
            repeat {
                let (asked, bounds) = (filter, bounds)
                let page = try await ledger.read { db in
                    try TextSearch(asked, for: text, in: db, ledger.rows, bounds: bounds).page()
                }
                try #require(page.next != filter.after || page.next == nil, "it gets on")
                found += page.jobs.map(Self.key)
                pageCount += 1
                filter.after = page.next
            } while filter.after != nil && pageCount < 5000
            let wanted = numbers.map { "staged-\($0)" }
            #expect(found == (order == .oldestFirst ? wanted : wanted.reversed()), "\(text)")
            #expect(pageCount > 1 || fewMaximum > 0, "\(text)")
        }
        try ledger.close()
    }

    @Test func `the jobs that name staged copies are found by an index`() async throws {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        let plan = try await ledger.read { db in
            try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN \(Ledger.stagedSQL)", arguments: ["a"]).map {
                $0["detail"] as String
            }
        }
        #expect(plan == ["SEARCH jobs USING INDEX jobs_by_staged (staged=?)"])
    }

    /// A page, and SQLite's plan for finding the places of its jobs.
    private static func explained(
        _ filter: LedgerFilter, _ ledger: Ledger
    ) async throws -> (JobPage, [[String]]) {
        // The bounds are small, so that pages are short.
        var few = TextSearch.Bounds()
        few.candidateCountMaximum = 700
        let bounds = few
        return try await ledger.read { db in
            let statements = Mutex<[String]>([])
            db.trace(options: .statement) { event in
                guard case .statement(let statement) = event else { return }
                statements.withLock { $0.append(statement.sql) }
            }
            let page =
                if let text = filter.text {
                    try TextSearch(filter, for: text, in: db, ledger.rows, bounds: bounds).page()
                } else {
                    try JobSearch(filter, in: db, ledger.rows).page()
                }
            db.trace(options: [])
            let asked = Set(statements.withLock { $0 }).filter { sql in
                ["SELECT enqueued", "SELECT seq", "SELECT rowid"].contains { sql.hasPrefix($0) }
            }
            let plans = try asked.map { sql in
                try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN \(sql)", arguments: unbound(sql)).map {
                    $0["detail"] as String
                }
            }
            return (page, plans)
        }
    }

    private static func unbound(_ sql: String) -> StatementArguments {
        StatementArguments(Array(repeating: DatabaseValue.null, count: sql.count { $0 == "?" }))
    }

    @Test func `tallies are what counting all jobs would say, after changes and forgetting`() async throws {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        try await ledger.write { try Self.insert(0..<3000, in: $0) }
        let live = try await ledger.jobs(LedgerFilter(statuses: [.queued, .waiting], limit: 1000)).jobs
        _ = try await ledger.record(
            live.prefix(300).map { Sample.event(.completed, $0.baton.job) }, view: ControlView(), routes: [],
            now: Sample.start)
        _ = try await ledger.prune(endedBefore: Sample.start + 0.5, besides: ControlView(), limit: 700)
        let rows = try await ledger.read { db in
            try [
                "SELECT queue, destination, status, jobs, bytes FROM tallies WHERE jobs > 0",
                "SELECT queue, destination, status, count(*), sum(size) FROM jobs GROUP BY 1, 2, 3",
            ].map { try Row.fetchAll(db, sql: "\($0) ORDER BY 1, 2, 3").map { $0.databaseValues.map(\.description) } }
        }
        #expect(rows[0] == rows[1])
        #expect(rows[0].count > 5)
        // FTS5 compares its index with the table (https://sqlite.org/fts5.html#the_integrity_check_command).
        try await ledger.write {
            try $0.execute(sql: "INSERT INTO jobs_text (jobs_text, rank) VALUES ('integrity-check', 1)")
        }
    }
}
