import Foundation
import Testing
import Uploads

/// Listings, counts and loads of many jobs, compared with what the rules compute in another way.
extension LedgerConformance {
    static let searching = [
        Rule("every page of every filter is right, either way") { suite in
            let ledger = try await suite.make()
            let jobs = (0..<count).map(numbered)
            try await fill(ledger, with: jobs)
            for filter in filters {
                let wanted = (0..<count).filter { matches($0, jobs[$0], filter) }
                var found: [JobID] = []
                var page = filter
                repeat {
                    let answer = try await ledger.jobs(page)
                    #expect(answer.jobs.count == filter.limit || filter.text != nil || answer.next == nil)
                    #expect(answer.jobs.count <= filter.limit)
                    found += answer.jobs.map(\.id)
                    try #require(answer.next != page.after || answer.next == nil, "it gets on")
                    page.after = answer.next
                } while page.after != nil
                let order = filter.order == .oldestFirst ? wanted : wanted.reversed()
                #expect(found == order.map { jobs[$0].id }, "\(filter)")
            }
        },
        Rule("an order with a filter is about the jobs that a listing with the same words shows") { suite in
            let ledger = try await suite.make()
            let jobs = (0..<count).map(numbered)
            try await fill(ledger, with: jobs)
            for listing in filters where listing.order == .oldestFirst {
                var filter = OrderFilter(
                    queue: listing.queue, destination: listing.destination, batch: listing.batch,
                    endedUntil: listing.endedUntil, statuses: listing.statuses ?? Set(LedgerStatus.allCases))
                (filter.idempotencyKey, filter.text) = (listing.idempotencyKey, listing.text)
                (filter.code, filter.client, filter.endedSince) = (listing.code, listing.client, listing.endedSince)
                (filter.enqueuedSince, filter.enqueuedUntil) = (listing.enqueuedSince, listing.enqueuedUntil)
                let wanted = (0..<count).filter { matches($0, jobs[$0], listing) }.map { jobs[$0].id }.sorted()
                let asked = filter
                let found = try await ledger.transaction { store throws in
                    var (ids, after): ([JobID], JobID?) = ([], nil)
                    repeat {
                        let page = try store.page(asked, for: .runAgain, after: after, limit: 50)
                        ids += page.jobs
                        after = page.next
                    } while after != nil
                    return ids
                }
                #expect(found == wanted, "\(listing)")
                #expect(try await ledger.count(asked, for: .runAgain) == wanted.count, "\(listing)")
                let ended = wanted.count { id in jobs.firstIndex { $0.id == id }.map { status(of: $0).isEnd } ?? false }
                #expect(try await ledger.count(asked, for: .forget) == ended, "\(listing)")
                for (verb, count) in [(Verb.runAgain, wanted.count), (.forget, ended)] {
                    let whole = try await ledger.preview(asked, for: verb, bounds: OrderPreview.Bounds())
                    #expect(whole == OrderPreview(matched: count), "\(listing)")
                    var bounds = OrderPreview.Bounds()
                    (bounds.countMaximum, bounds.examinedMaximum) = (3, 5)
                    let part = try await ledger.preview(asked, for: verb, bounds: bounds)
                    #expect(part.mayBeMore ? part.matched <= count : part.matched == count, "\(listing) \(part)")
                }
            }
        },
        Rule("an order over more jobs than are counted is told to be about at least so many") { suite in
            let ledger = try await suite.make()
            let jobs = (0..<count).map(numbered)
            try await fill(ledger, with: jobs)
            var bounds = OrderPreview.Bounds()
            (bounds.countMaximum, bounds.examinedMaximum) = (3, 5)
            var ended = OrderFilter(endedUntil: start + 86_400)
            let all = try await ledger.count(ended, for: .forget)
            #expect(all > 10)
            #expect(try await ledger.preview(ended, for: .forget, bounds: bounds) == .init(matched: 3, mayBeMore: true))
            // Where the tallies know the number, nothing is counted.
            #expect(try await ledger.preview(OrderFilter(), for: .forget, bounds: bounds) == .init(matched: all))
            ended.text = "jpg"
            let text = try await ledger.preview(ended, for: .forget, bounds: bounds)
            #expect(text.mayBeMore && text.matched <= 5)
            // Of those that are counted, some have been forgotten.
            ledger.settle(try await ledger.owed().map(\.id))
            let completed = try await ledger.jobs(LedgerFilter(statuses: [.completed], limit: 1000)).jobs
                .filter { $0.baton.job.client == nil }.prefix(8).map(\.id)
            var answers = try await forget(Array(completed.prefix(2)), in: ledger)
            #expect(answers.compactMap(\.reason) == [])
            ended.text = nil
            #expect(try await ledger.preview(ended, for: .forget, bounds: bounds) == .init(matched: 1, mayBeMore: true))
            #expect(try await ledger.preview(OrderFilter(), for: .forget, bounds: bounds) == .init(matched: all - 2))
            answers = try await forget(Array(completed.dropFirst(2)), in: ledger)
            #expect(answers.compactMap(\.reason) == [])
            #expect(try await ledger.preview(ended, for: .forget, bounds: bounds) == .init(matched: all - 8))
        },
        Rule("counts and loads are what counting all jobs would say, after changes and forgetting") { suite in
            let ledger = try await suite.make()
            let jobs = (0..<count).map(numbered)
            try await fill(ledger, with: jobs)
            try await compareSums(ledger)
            // Some go on, and some that ended are removed.
            let live = try await ledger.jobs(LedgerFilter(statuses: [.queued, .waiting], limit: 1000)).jobs
            let ends: [EventKind] = [.completed, .failed, .cancelled, .started]
            try await record(
                live.prefix(30).enumerated().map { event(ends[$0 % 4], $1.baton.job, slice: 1, after: 3600) },
                in: ledger, routes: [])
            try await compareSums(ledger)
            ledger.settle(try await ledger.owed().map(\.id))
            let gone = try await ledger.prune(endedBefore: start + 3600, besides: ControlView(), limit: 40)
            #expect(gone == 40)
            try await compareSums(ledger)
            let left = try await ledger.counts().values.reduce(0, +)
            #expect(left == count - gone)
        },
        Rule("a job is counted and found where its order says, also if an event came first and said something else") {
            suite in
            let ledger = try await suite.make()
            var told = makeJob("a", queue: "video", destination: "a", size: 5)
            told.source = .inline(Data("bytes".utf8))
            var order = told
            (order.queue, order.destination) = (.standard, .named(DestinationName(unchecked: "b"), key: "b"))
            try await record(
                [event(.started, told), .job(makeJob("other"), maybeRepeated: false)], in: ledger, routes: [])
            try await compareSums(ledger)
            try await record([.job(order, maybeRepeated: false)], in: ledger, routes: [])
            try await compareSums(ledger)
            for (queue, destination, found) in [("video", "a", false), ("default", "b", true)] {
                let byQueue = try await ledger.jobs(LedgerFilter(queue: QueueName(unchecked: queue))).jobs.map(\.id)
                #expect(byQueue.contains(order.id) == found)
                #expect(try await ledger.jobs(LedgerFilter(destination: destination)).jobs.isEmpty == !found)
            }
            try await record([event(.completed, order)], in: ledger, routes: [])
            try await compareSums(ledger)
            ledger.settle(try await ledger.owed().map(\.id))
            #expect(try await ledger.prune(endedBefore: start + 3600, besides: ControlView(), limit: 10) == 1)
            try await compareSums(ledger)
        },
        Rule("jobs of any size are recorded, and their sums are the largest number at most") { suite in
            let ledger = try await suite.make()
            // No message may carry such sizes, but a program that skips the checks may.
            let jobs = ["default", "default", "video"].map { makeJob("a", queue: $0, size: .max) }
            let ended = (0..<2).map { makeJob("\($0)", queue: "video", size: .max) }
            let owed = try await record(
                (jobs + [makeJob("small", size: 11)]).map { .job($0, maybeRepeated: false) }
                    + ended.flatMap { [.job($0, maybeRepeated: false), event(.completed, $0)] },
                in: ledger, routes: [])
            func bytesLeft() async throws -> [Int64] {
                try await ledger.queues(throughputSince: start).map(\.bytesLeft)
            }
            #expect(try await ledger.counts() == [.queued: 4, .completed: 2])
            #expect(try await bytesLeft() == [.max, .max])
            #expect(try await ledger.destinations().map(\.bytesLeft) == [.max])
            #expect(try await ledger.destinations().map(\.counts) == [[.queued: 4, .completed: 2]])
            let minutes = try await ledger.queues(throughputSince: start).last?.throughput
            #expect(minutes?.map(\.completed) == [2] && minutes?.map(\.bytes) == [.max])
            ledger.settle(owed.map(\.id))
            #expect(try await ledger.prune(endedBefore: start + 1, besides: ControlView(), limit: 10) == 2)
            #expect(try await bytesLeft() == [.max, .max])
            #expect(try await ledger.counts() == [.queued: 4])
            let sizes = [WireLimits.sizeMaximum, 5]
            let more = sizes.map { makeJob("b", queue: "archive", size: $0) }
            try await record(more.map { .job($0, maybeRepeated: false) }, in: ledger)
            #expect(try await bytesLeft() == [WireLimits.sizeMaximum + 5, .max, .max])
            try await record([event(.failed, more[0])], in: ledger)
            #expect(try await bytesLeft() == [5, .max, .max])
        },
    ]

    private static let count = 240
    private static let statuses: [LedgerStatus] = [.completed, .completed, .running, .failed, .queued, .waiting]

    private static func status(of number: Int) -> LedgerStatus {
        number % 50 == 1 ? .cancelled : statuses[number % statuses.count]
    }

    /// The last jobs come from a producer whose clock is two hours ahead: they end before they are enqueued.
    private static func numbered(_ number: Int) -> UploadJob {
        var job = makeJob(
            "\(number)", queue: ["default", "video", "rare"][number % 40 == 0 ? 2 : number % 2],
            destination: ["a", "b", "c"][number % 3],
            after: Double(number / 3) / 1000 + (number < count - 20 ? 0 : 7200), size: Int64(number))
        job.destination = .named(DestinationName(unchecked: job.destination.label), key: "IMG_\(number).jpg")
        job.metadata = ["owner": "user-\(number % 97)"]
        if number < count / 4 { job.metadata["note"] = "veteran" }
        job.batch = number % 4 == 0 ? "batch-\(number % 40)" : nil
        job.idempotencyKey = number % 5 == 0 ? "key-\(number / 10)" : nil
        job.client = number % 3 == 0 ? nil : "app-\(number % 2)"
        return job
    }

    /// Of a failed job.
    private static func code(of number: Int) -> UploadError.Code { number % 4 == 1 ? .accessDenied : .noSpace }

    private static func fill(_ ledger: any Ports, with jobs: [UploadJob]) async throws {
        let kinds: [LedgerStatus: EventKind] = [
            .running: .started, .waiting: .waiting, .completed: .completed, .failed: .failed, .cancelled: .cancelled,
        ]
        let messages = jobs.enumerated().flatMap { number, job in
            let told = kinds[status(of: number)].map { kind in
                guard kind == .failed else { return event(kind, job, after: Double(number)) }
                let error = UploadError(code(of: number), "it failed")
                return .event(
                    UploadEvent(outcome: .failed(error, state: nil), of: Baton(job: job), at: start + Double(number)))
            }
            return [.job(job, maybeRepeated: false)] + [told].compactMap { $0 }
        }
        try await record(messages, in: ledger, routes: [])
    }

    private static let filters: [LedgerFilter] = {
        let changes: [(inout LedgerFilter) -> Void] = [
            { _ in }, { $0.statuses = [.failed] }, { $0.statuses = [.cancelled, .paused] }, { $0.statuses = [] },
            { $0.statuses = [.queued, .running, .waiting, .paused] }, { $0.queue = QueueName(unchecked: "rare") },
            { $0.queue = QueueName(unchecked: "unknown") }, { $0.destination = "b" },
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
                $0.statuses = [.completed, .queued]
            }, { $0.idempotencyKey = "key-10" }, { $0.text = "img_7" }, { $0.text = "jpg" },
            { $0.text = "note=veteran" },
            {
                $0.text = "note=veteran"
                $0.statuses = [.completed]
            },
            {
                $0.text = "jpg"
                $0.queue = QueueName(unchecked: "video")
                $0.enqueuedUntil = start + 0.05
            }, { $0.text = "owner=USER-4\n" }, { $0.text = "not there" },
            {
                $0.text = "staged-1"
                $0.statuses = [.failed]
                $0.destination = "a"
            },
            {
                $0.text = ".jpg"
                $0.batch = "batch-12"
            }, { $0.enqueuedSince = start + 0.06 },
            {
                $0.enqueuedUntil = start + 0.05
                $0.statuses = [.completed]
            }, { $0.code = .accessDenied }, { $0.code = .sessionExpired }, { $0.client = "app-1" },
            {
                $0.code = .noSpace
                $0.destination = "a"
            },
            {
                $0.code = .accessDenied
                $0.statuses = [.completed, .queued]
            },
            {
                $0.code = .accessDenied
                $0.client = "app-0"
                $0.queue = QueueName(unchecked: "video")
                $0.endedUntil = start + 150
            },
            {
                $0.code = .accessDenied
                $0.text = "img_1"
            },
            {
                $0.code = .noSpace
                $0.batch = "batch-8"
            },
            {
                $0.client = "app-1"
                $0.statuses = [.failed, .cancelled]
                $0.destination = "b"
            },
            {
                $0.client = "app-0"
                $0.batch = "batch-12"
                $0.enqueuedSince = start + 0.02
            },
            {
                $0.client = "app-1"
                $0.text = "jpg"
            }, { $0.endedSince = start + 200 }, { $0.endedUntil = start + 40 }, { $0.endedUntil = start + 235 },
            {
                ($0.endedSince, $0.endedUntil) = (start + 100, start + 130)
                $0.queue = QueueName(unchecked: "default")
            },
            {
                ($0.endedSince, $0.endedUntil) = (start + 100, start + 130)
                $0.statuses = [.failed, .running]
            },
            {
                $0.endedSince = start + 100
                $0.text = "img_1"
            },
            {
                $0.endedUntil = start + 100
                $0.idempotencyKey = "key-7"
            },
        ]
        return changes.flatMap { change in
            LedgerFilter.Order.allCases.map { order in
                var filter = LedgerFilter(order: order, limit: 7)
                change(&filter)
                return filter
            }
        }
    }()

    /// The meaning of a filter.
    private static func matches(_ number: Int, _ job: UploadJob, _ filter: LedgerFilter) -> Bool {
        let text = [
            "staged-\(number)", "img_\(number).jpg", number < count / 4 ? "note=veteran" : nil,
            "owner=user-\(number % 97)", job.batch, job.idempotencyKey,
            status(of: number) == .failed ? "it failed" : nil,
        ].compactMap { $0 }.joined(separator: "\n")
        let holds: [Bool?] = [
            filter.statuses?.contains(status(of: number)), filter.queue.map { $0 == job.queue },
            filter.destination.map { $0 == job.destination.label }, filter.batch.map { $0 == job.batch },
            filter.idempotencyKey.map { $0 == job.idempotencyKey },
            filter.text.map { text.contains($0.lowercased()) }, filter.enqueuedSince.map { job.enqueuedAt >= $0 },
            filter.enqueuedUntil.map { job.enqueuedAt < $0 }, filter.client.map { $0 == job.client },
            filter.code.map { status(of: number) == .failed && code(of: number) == $0 },
            filter.endedSince.map { status(of: number).isEnd && start + Double(number) >= $0 },
            filter.endedUntil.map { status(of: number).isEnd && start + Double(number) < $0 },
        ]
        return !holds.contains(false)
    }

    /// Compares counts, queues and destinations with all listed jobs.
    private static func compareSums(_ ledger: any Ports) async throws {
        let jobs = try await ledger.jobs(LedgerFilter(limit: 1000)).jobs
        func counted(_ some: some Sequence<LedgerJob>) -> [LedgerStatus: Int] {
            Dictionary(some.map { ($0.status, 1) }, uniquingKeysWith: +)
        }
        func bytes(_ some: [LedgerJob]) -> Int64 {
            some.filter { !$0.status.isEnd }.map(\.baton.job.size).reduce(0, +)
        }
        #expect(try await ledger.counts() == counted(jobs))
        let queues = Dictionary(grouping: jobs) { $0.baton.job.queue.rawValue }.sorted { $0.key < $1.key }
        let loads = try await ledger.queues(throughputSince: start + 86_400)
        #expect(loads.map(\.queue.rawValue) == queues.map(\.key))
        #expect(loads.map(\.counts) == queues.map { counted($0.value) })
        #expect(loads.map(\.bytesLeft) == queues.map { bytes($0.value) })
        func milliseconds(_ time: Date) -> Int64 { Int64((time.timeIntervalSince1970 * 1000).rounded()) }
        let waits = queues.map { queue in
            queue.value.filter { $0.status == .queued || $0.status == .waiting }.map {
                milliseconds($0.baton.job.enqueuedAt)
            }.min()
        }
        #expect(loads.map { $0.oldestWaiting.map(milliseconds) } == waits)
        #expect(loads.allSatisfy { $0.throughput.isEmpty })
        let labels = Dictionary(grouping: jobs) { $0.baton.job.destination.label }.sorted { $0.key < $1.key }
        let destinations = try await ledger.destinations()
        #expect(destinations.map(\.destination) == labels.map(\.key))
        #expect(destinations.map(\.counts) == labels.map { counted($0.value) })
        #expect(destinations.map(\.bytesLeft) == labels.map { bytes($0.value) })
    }
}
