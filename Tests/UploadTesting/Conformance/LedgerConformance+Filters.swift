import Foundation
import Testing
import Uploads

/// Rules of the tables for orders with a filter.
extension LedgerConformance {
    static let filtering = [
        StoreRule("each field of a filter holds, and all of them at once") { tables in
            var wanted = makeJob("IMG_a", queue: "video", destination: "tape", after: 5)
            (wanted.batch, wanted.idempotencyKey, wanted.client) = ("caf\u{E9}", "key-\u{E9}", "gallery")
            var (twin, late) = (makeJob("b", after: 4), makeJob("d", after: 7))
            (twin.batch, twin.idempotencyKey, twin.client) = ("cafe\u{301}", "key-e\u{301}", "galle")
            late.client = "other"
            let rows = [
                failed(row(wanted, .failed, since: 30), .accessDenied),
                failed(row(twin, .failed, since: 60), .serverFailure),
                failed(row(late, .failed, since: 29), .noSpace), row(makeJob("c", after: 6), .queued),
            ]
            try await write(in: tables) { $0.jobs = rows }
            let changes: [@Sendable (inout OrderFilter) -> Void] = [
                { $0.queue = QueueName(unchecked: "video") }, { $0.destination = "tape" },
                { $0.batch = "caf\u{E9}" }, { $0.idempotencyKey = "key-\u{E9}" }, { $0.client = "gallery" },
                { $0.code = .accessDenied }, { $0.text = "img_A" },
                { ($0.enqueuedSince, $0.enqueuedUntil) = (start + 5, start + 6) },
                { ($0.endedSince, $0.endedUntil) = (start + 30, start + 60) },
            ]
            let id = wanted.id
            try await tables.transaction { store throws in
                var all = OrderFilter()
                for (number, change) in changes.enumerated() {
                    var one = OrderFilter()
                    change(&one)
                    change(&all)
                    #expect(try found(one, .runAgain, in: store) == [id], "field \(number)")
                }
                all.statuses = [.failed, .queued]
                #expect(try found(all, .runAgain, in: store) == [id])
                for change in [
                    { $0.queue = .standard }, { $0.batch = "other" }, { $0.statuses = [.queued] },
                    { $0.code = .unknown }, { $0.client = "galle" }, { $0.text = "img_b" },
                    { $0.idempotencyKey = "key" }, { $0.endedSince = start + 31 }, { $0.endedUntil = start + 30 },
                    { $0.enqueuedSince = start + 5.001 }, { $0.enqueuedUntil = start + 5 },
                ] as [(inout OrderFilter) -> Void] {
                    var none = all
                    change(&none)
                    #expect(try found(none, .runAgain, in: store).isEmpty)
                }
                #expect(try found(OrderFilter(destination: "nowhere"), .runAgain, in: store).isEmpty)
                #expect(try found(OrderFilter(endedUntil: start), .runAgain, in: store).isEmpty)
                var since = OrderFilter()
                since.endedSince = start + 30
                #expect(try found(since, .runAgain, in: store).count == 2)
                since.endedSince = start + 61
                #expect(try found(since, .runAgain, in: store).isEmpty)
                #expect(try found(OrderFilter(statuses: []), .runAgain, in: store).isEmpty)
            }
        },
        StoreRule("a job is found by its error as long as it is failed, and one without an error as unknown") {
            tables in
            let denied = failed(row(makeJob("a"), .failed), .accessDenied)
            let silent = row(makeJob("b", after: 1), .failed)
            let done = row(makeJob("c", after: 2), .completed)
            try await write(in: tables) { $0.jobs = [denied, silent, done] }
            func expect(_ code: UploadError.Code, _ jobs: [JobID]) async throws {
                var filter = OrderFilter()
                filter.code = code
                let asked = filter
                try await tables.transaction { store throws in
                    #expect(try found(asked, .runAgain, in: store) == jobs, "\(code)")
                }
            }
            try await expect(.accessDenied, [denied.job.id])
            try await expect(.unknown, [silent.job.id])
            var again = LedgerChanges.Job(denied.job, before: denied.job, original: nil)
            (again.job.status, again.job.end) = (.queued, nil)
            let running = again
            try await write(in: tables) { $0.jobs = [running] }
            try await expect(.accessDenied, [])
            var second = LedgerChanges.Job(running.job, before: running.job, original: nil)
            second.job.status = .failed
            let told = failed(second, .noSpace)
            try await write(in: tables) { $0.jobs = [told] }
            try await expect(.accessDenied, [])
            try await expect(.noSpace, [denied.job.id])
        },
        StoreRule("the digits of a shard hold beside every other condition") { tables in
            let orders = (0..<40).map { index -> UploadJob in
                var order = makeJob("\(index)", after: Double(index))
                (order.batch, order.client) = ("trip", "gallery")
                return order
            }
            let rows = orders.map { failed(row($0, .failed, since: 60), .noSpace) }
            try await write(in: tables) { $0.jobs = rows }
            let changes: [@Sendable (inout OrderFilter) -> Void] = [
                { _ in }, { $0.batch = "trip" }, { $0.client = "gallery" }, { $0.code = .noSpace },
                { $0.text = "staged" },
                { $0.endedSince = start },
            ]
            try await tables.transaction { store throws in
                for change in changes {
                    var filter = OrderFilter(digits: "03a")
                    change(&filter)
                    let wanted = orders.map(\.id).filter { "03a".contains($0.digitText) }.sorted()
                    #expect(try found(filter, .runAgain, in: store) == wanted)
                }
            }
        },
        StoreRule("a job at a URL is found by the label of its destination") { tables in
            var order = makeJob("a")
            order.destination = .url("https://host.example/a?signature=hidden")
            let (job, label) = (row(order), order.destination.label)
            try await write(in: tables) { $0.jobs = [job] }
            try await tables.transaction { store throws in
                #expect(try found(OrderFilter(destination: label), .cancel, in: store) == [job.job.id])
                #expect(try found(OrderFilter(destination: "photos"), .cancel, in: store).isEmpty)
            }
        },
        StoreRule("a verb is about the jobs in a status that permits it, unless the filter names the statuses") {
            tables in
            let rows = LedgerStatus.allCases.map { row(makeJob($0.rawValue), $0) }
            try await write(in: tables) { $0.jobs = rows }
            let ids = Dictionary(uniqueKeysWithValues: rows.map { ($0.job.status, $0.job.id) })
            let open: [LedgerStatus] = [.queued, .running, .waiting, .paused]
            let wanted: [(Verb, [LedgerStatus])] = [
                (.cancel, open), (.pause, open), (.resume, [.paused]), (.runNow, [.queued, .waiting, .paused]),
                (.runAgain, [.failed, .cancelled]), (.discard, [.failed]),
                (.forget, [.completed, .failed, .cancelled]),
            ]
            try await tables.transaction { store throws in
                for (verb, statuses) in wanted {
                    let jobs = Set(statuses.compactMap { ids[$0] })
                    #expect(Set(try found(OrderFilter(), verb, in: store)) == jobs, "\(verb)")
                }
                let named = OrderFilter(statuses: [.completed, .running])
                let both = Set([LedgerStatus.completed, .running].compactMap { ids[$0] })
                for verb in [Verb.cancel, .runAgain, .resume] {
                    #expect(Set(try found(named, verb, in: store)) == both, "\(verb)")
                }
                // Only ended jobs are forgotten, whatever the filter names.
                #expect(try found(named, .forget, in: store) == [LedgerStatus.completed].compactMap { ids[$0] })
                let early = OrderFilter(endedUntil: start + 1)
                #expect(try found(early, .cancel, in: store).isEmpty, "an open job has not ended")
                #expect(try found(early, .forget, in: store).count == 3)
            }
        },
        StoreRule("resuming is about jobs that are paused, or that a pause holds for the current generation") {
            tables in
            var rows = (0..<5).map { row(makeJob("\($0)", after: Double($0)), .waiting) }
            rows[0].job.pausedThrough = 1
            (rows[1].job.pausedThrough, rows[1].job.baton.generation) = (2, 3)
            (rows[2].job.pausedThrough, rows[2].job.baton.generation) = (12, 9)
            rows[3].job.status = .paused
            let written = rows
            try await write(in: tables) { $0.jobs = written }
            try await tables.transaction { store throws in
                #expect(try found(OrderFilter(), .resume, in: store) == [0, 2, 3].map { written[$0].job.id })
                let waiting = OrderFilter(statuses: [.waiting])
                #expect(try found(waiting, .resume, in: store) == [0, 1, 2, 4].map { written[$0].job.id })
            }
        },
        StoreRule("forgetting is about jobs that were not forgotten yet") { tables in
            var ended = (0..<2).map { row(makeJob("\($0)", after: Double($0)), .completed) }
            for index in ended.indices {
                ended[index].job.end = RoundEnd(kind: .completed, event: "\(index)", at: start)
            }
            let rows = ended
            try await write(in: tables) { $0.jobs = rows }
            let gone = rows[0].job.forgotten(at: start + 60)
            try await write(in: tables) {
                $0.jobs = [LedgerChanges.Job(gone, before: rows[0].job, original: nil)]
                $0.forgotten = [gone]
            }
            try await tables.transaction { store throws in
                #expect(try found(OrderFilter(), .forget, in: store) == [rows[1].job.id])
                #expect(try found(OrderFilter(statuses: [.completed]), .forget, in: store) == [rows[1].job.id])
                let ids = rows.map(\.job.id)
                #expect(try found(OrderFilter(statuses: [.completed]), .runAgain, in: store) == ids)
            }
        },
        StoreRule("pages of a filter go by the jobs' ids, and end") { tables in
            let rows = (0..<7).map { row(makeJob("\($0)", after: Double($0)), .waiting) }
            let told = Array(rows[3...] + rows[..<3])
            try await write(in: tables) { $0.jobs = told }
            let ids = rows.map(\.job.id).sorted()
            #expect(ids == rows.map(\.job.id))
            try await tables.transaction { store throws in
                func page(after job: JobID?, limit: Int = 3) throws -> OrderFilterPage {
                    try store.page(OrderFilter(statuses: [.waiting]), for: .pause, after: job, limit: limit)
                }
                #expect(try page(after: nil) == OrderFilterPage(jobs: Array(ids[..<3]), next: ids[2]))
                #expect(try page(after: ids[2]) == OrderFilterPage(jobs: Array(ids[3..<6]), next: ids[5]))
                #expect(try page(after: ids[5]) == OrderFilterPage(jobs: [ids[6]], next: nil))
                #expect(try page(after: ids[6]) == OrderFilterPage(jobs: [], next: nil))
                #expect(try page(after: ids[3]).jobs == Array(ids[4...]), "a full page may be the last")
                #expect(try page(after: nil, limit: 8) == OrderFilterPage(jobs: ids, next: nil))
                #expect(try store.count(OrderFilter(), for: .pause) == 7)
            }
        },
    ]

    /// The jobs of all pages, which are counted alike.
    private static func found(_ filter: OrderFilter, _ verb: Verb, in store: any LedgerStore) throws -> [JobID] {
        let page = try store.page(filter, for: verb, after: nil, limit: 100)
        #expect(page.next == nil)
        #expect(try store.count(filter, for: verb) == page.jobs.count)
        return page.jobs
    }

    /// The row of a job that failed with an error.
    static func failed(_ row: LedgerChanges.Job, _ code: UploadError.Code) -> LedgerChanges.Job {
        var row = row
        row.job.end = RoundEnd(
            kind: .failed, event: "\(row.job.id).end", at: row.job.since, error: UploadError(code, "it failed"))
        return row
    }
}
