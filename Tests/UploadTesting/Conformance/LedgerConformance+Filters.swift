import Foundation
import Testing
import Uploads

/// Rules of the tables for orders with a filter.
extension LedgerConformance {
    static let filtering = [
        StoreRule("each field of a filter holds, and all of them at once") { tables in
            var wanted = makeJob("a", queue: "video", destination: "tape")
            wanted.batch = "caf\u{E9}"
            var twin = makeJob("b")
            twin.batch = "cafe\u{301}"
            let rows = [row(wanted, .failed), row(twin, .failed, since: 60), row(makeJob("c"), .queued)]
            try await write(in: tables) { $0.jobs = rows }
            let changes: [@Sendable (inout OrderFilter) -> Void] = [
                { $0.queue = QueueName(unchecked: "video") }, { $0.destination = "tape" },
                { $0.batch = "caf\u{E9}" }, { $0.endedBefore = start + 60 },
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
                for change in [{ $0.queue = .standard }, { $0.batch = "other" }, { $0.statuses = [.queued] }]
                    as [(inout OrderFilter) -> Void]
                {
                    var none = all
                    change(&none)
                    #expect(try found(none, .runAgain, in: store).isEmpty)
                }
                #expect(try found(OrderFilter(destination: "nowhere"), .runAgain, in: store).isEmpty)
                #expect(try found(OrderFilter(endedBefore: start), .runAgain, in: store).isEmpty)
                #expect(try found(OrderFilter(statuses: []), .runAgain, in: store).isEmpty)
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
                let early = OrderFilter(endedBefore: start + 1)
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
                #expect(try page(after: nil) == OrderFilterPage(jobs: Array(ids[..<3]), isLast: false))
                #expect(try page(after: ids[2]) == OrderFilterPage(jobs: Array(ids[3..<6]), isLast: false))
                #expect(try page(after: ids[5]) == OrderFilterPage(jobs: [ids[6]], isLast: true))
                #expect(try page(after: ids[6]) == OrderFilterPage(jobs: [], isLast: true))
                #expect(try page(after: ids[3]).jobs == Array(ids[4...]), "a full page may be the last")
                #expect(try page(after: nil, limit: 8) == OrderFilterPage(jobs: ids, isLast: true))
                #expect(try store.count(OrderFilter(), for: .pause) == 7)
            }
        },
    ]

    /// The jobs of all pages, which are counted alike.
    private static func found(_ filter: OrderFilter, _ verb: Verb, in store: any LedgerStore) throws -> [JobID] {
        let page = try store.page(filter, for: verb, after: nil, limit: 100)
        #expect(page.isLast)
        #expect(try store.count(filter, for: verb) == page.jobs.count)
        return page.jobs
    }
}
