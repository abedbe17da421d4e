import Foundation
import Testing
import Uploads

extension LedgerConformance {
    static let listing = [
        Rule("listings go by the time of enqueueing, either way, in pages") { suite in
            let ledger = try await suite.make()
            let jobs = (0..<7).map { makeJob("\($0)", after: Double($0 / 2)) }
            // An event that arrives late is still listed in its place.
            let told = Array(jobs[1...]) + [jobs[0]]
            try await record(told.map { .job($0, maybeRepeated: false) }, in: ledger)
            let oldest = [jobs[1], jobs[0]] + jobs[2...]
            #expect(try await pages(LedgerFilter(order: .oldestFirst, limit: 2), ledger) == oldest.map(\.id))
            #expect(try await pages(LedgerFilter(limit: 3), ledger) == oldest.reversed().map(\.id))
            #expect(try await pages(LedgerFilter(statuses: [.queued], limit: 2), ledger) == oldest.reversed().map(\.id))
        },
        Rule("listings by text go by when a job was heard of, either way, in pages") { suite in
            let ledger = try await suite.make()
            let cats = (0..<6).map { makeJob("cat-\($0)", after: Double($0)) }
            // The ledger learns of the oldest job last.
            let told = Array(cats[1...]) + [cats[0]]
            let others = (0..<6).map { makeJob("dog-\($0)", after: Double($0)) }
            try await record(
                zip(told, others).flatMap { [$0, $1] }.map { .job($0, maybeRepeated: false) }, in: ledger)
            var filter = LedgerFilter(order: .oldestFirst, limit: 2)
            filter.text = "CAT-"
            #expect(try await pages(filter, ledger) == told.map(\.id))
            filter.statuses = [.queued]
            #expect(try await pages(filter, ledger) == told.map(\.id))
            filter.order = .newestFirst
            #expect(try await pages(filter, ledger) == told.reversed().map(\.id))
            filter.statuses = [.failed]
            #expect(try await pages(filter, ledger).isEmpty)
        },
        Rule("two spellings of a letter are two names") { suite in
            let ledger = try await suite.make()
            let jobs = ["caf\u{E9}", "cafe\u{301}"].map { name in
                var job = makeJob(name)
                job.batch = name
                job.idempotencyKey = name
                return job
            }
            try await record(jobs.map { .job($0, maybeRepeated: false) }, in: ledger)
            for job in jobs {
                var filter = LedgerFilter()
                filter.batch = job.batch
                #expect(try await ledger.jobs(filter).jobs.map(\.id) == [job.id])
                filter = LedgerFilter()
                filter.idempotencyKey = job.idempotencyKey
                #expect(try await ledger.jobs(filter).jobs.map(\.id) == [job.id])
            }
            // People search for the text that they see, in upper or lower case.
            var search = LedgerFilter()
            search.text = jobs[0].batch
            #expect(try await ledger.jobs(search).jobs.count == 2)
        },
        Rule("every filter holds, and all of them at once") { suite in
            let ledger = try await suite.make()
            var wanted = makeJob("2026/Cat.JPG", queue: "video", destination: "tape", after: 10)
            wanted.batch = "nightly"
            wanted.idempotencyKey = "key-1"
            wanted.metadata = ["owner": "Zoë"]
            let others = (0..<5).map { makeJob("other-\($0)", after: Double($0)) }
            try await record(
                others.map { .job($0, maybeRepeated: false) } + [
                    .job(wanted, maybeRepeated: false), event(.failed, wanted),
                ],
                in: ledger)
            var all = LedgerFilter()
            let changes: [(inout LedgerFilter) -> Void] = [
                { $0.statuses = [.failed, .cancelled] }, { $0.queue = QueueName(unchecked: "video") },
                { $0.destination = "tape" }, { $0.batch = "nightly" }, { $0.idempotencyKey = "key-1" },
                { $0.text = "cat.jpg" }, { $0.text = "OWNER=ZOË" }, { $0.enqueuedSince = start + 10 },
            ]
            for (number, change) in changes.enumerated() {
                var one = LedgerFilter()
                change(&one)
                change(&all)
                #expect(try await ledger.jobs(one).jobs.map(\.id) == [wanted.id], "filter \(number)")
            }
            all.enqueuedUntil = start + 10.001
            #expect(try await ledger.jobs(all).jobs.map(\.id) == [wanted.id])
            all.enqueuedUntil = start + 10
            #expect(try await ledger.jobs(all).jobs.isEmpty)
            all.enqueuedUntil = nil
            all.batch = "other"
            #expect(try await ledger.jobs(all).jobs.isEmpty)
        },
        Rule("text is found as it is written, by its error too, and never by what redaction hides") { suite in
            let ledger = try await suite.make()
            var told = makeJob("100%_\"done\"*")
            told.destination = .url("https://host.example/a?signature=hidden")
            told.metadata = ["note": "100%_\"done\"*"]
            var baton = Baton(job: told)
            baton.slice = 1
            let failed = UploadEvent(
                outcome: .failed(UploadError(.rejected, "the bucket is Gone"), state: nil), of: baton, at: start)
            try await record(
                [.job(told, maybeRepeated: false), .job(makeJob("1000"), maybeRepeated: false)], in: ledger)
            try await record([.event(failed)], in: ledger)
            for (text, count) in [
                ("100%_\"DONE\"*", 1), ("100", 2), ("bucket is gone", 1), ("hidden", 0), ("done%", 0), ("___", 0),
            ] {
                var filter = LedgerFilter()
                filter.text = text
                #expect(try await ledger.jobs(filter).jobs.count == count, "\(text)")
            }
            var short = LedgerFilter()
            short.text = "ab"
            let refused = short
            await #expect(throws: UploadError.self) { _ = try await ledger.jobs(refused) }
        },
    ]

    static let asking = [
        Rule("events are read on from any sequence, filtered, and once each") { suite in
            let ledger = try await suite.make()
            let (first, second) = (makeJob("a"), makeJob("b", queue: "video", after: 1))
            try await record(
                [event(.started, first), event(.started, second), event(.failed, first), event(.completed, second)],
                in: ledger)
            var read: [UploadEvent] = []
            var sequence: Int64 = 0
            var isLast = false
            while !isLast {
                let page = try await ledger.events(after: sequence, EventFilter(), limit: 3)
                #expect(page.through > sequence)
                read += page.events.map(\.event)
                (sequence, isLast) = (page.through, page.isLast)
            }
            #expect(read.map(\.kind) == [.started, .started, .failed, .completed])
            #expect(try await ledger.lastSequence() == sequence)
            let none = try await ledger.events(after: sequence, EventFilter(), limit: 3)
            #expect(none.events.isEmpty && none.isLast && none.through == sequence)
            try await record([event(.started, first), event(.handedOver, makeJob("c", after: 2))], in: ledger)
            let next = try await ledger.events(after: sequence, EventFilter(), limit: 3)
            #expect(next.events.map(\.event.kind) == [.handedOver])
            func kinds(_ filter: EventFilter) async throws -> [EventKind] {
                try await ledger.events(after: 0, filter, limit: 10).events.map(\.event.kind)
            }
            #expect(try await kinds(EventFilter(kinds: [.failed, .completed])) == [.failed, .completed])
            #expect(try await kinds(EventFilter(queue: second.queue)) == [.started, .completed])
            #expect(try await kinds(EventFilter(kinds: [.started], job: first.id)) == [.started])
            let other = try await ledger.events(after: sequence + 1_000_000, EventFilter(), limit: 1)
            #expect(other.events.map(\.event) == [read[0]])
        },
        Rule("queues and destinations tell what is left, how long it waits and what was done") { suite in
            let ledger = try await suite.make()
            let jobs = (0..<4).map { makeJob("\($0)", queue: "video", after: Double($0), size: 100) }
            let other = makeJob("other", destination: "tape", size: 7)
            try await record((jobs + [other]).map { .job($0, maybeRepeated: false) }, in: ledger)
            try await record(
                [
                    event(.started, jobs[0]), event(.started, jobs[1], after: 1), event(.completed, jobs[1], after: 1),
                    event(.failed, jobs[2], after: 61), event(.paused, other),
                ], in: ledger)
            let queues = try await ledger.queues(throughputSince: start)
            #expect(queues.map(\.bytesPaused) == [7, 0])
            #expect(queues.map(\.queue.rawValue) == ["default", "video"])
            let video = try #require(queues.last)
            #expect(video.counts == [.queued: 1, .running: 1, .completed: 1, .failed: 1])
            #expect(video.bytesLeft == 200)
            #expect(video.oldestWaiting == start + 3)
            #expect(
                video.throughput == [
                    ThroughputMinute(start: start, completed: 1, bytes: 100),
                    ThroughputMinute(start: start + 60, failed: 1),
                ])
            let later = try await ledger.queues(throughputSince: start + 60)
            #expect(later.last?.throughput.map(\.failed) == [1])
            let destinations = try await ledger.destinations()
            #expect(destinations.map(\.destination) == ["photos", "tape"])
            #expect(destinations.map(\.bytesLeft) == [200, 7])
            #expect(try await ledger.counts() == [.queued: 1, .paused: 1, .running: 1, .completed: 1, .failed: 1])
        },
        Rule("the latest that stand so are those of which it was told last, whenever they were enqueued") { suite in
            let ledger = try await suite.make()
            let jobs = (0..<3).map { makeJob("\($0)", after: Double($0)) }
            try await record(jobs.map { .job($0, maybeRepeated: false) }, in: ledger)
            try await record(
                [
                    event(.failed, jobs[1], after: 5), event(.failed, jobs[2], after: 6),
                    event(.failed, jobs[0], after: 7),
                ], in: ledger)
            #expect(try await ledger.latest(.failed, limit: 2).map(\.id) == [jobs[0].id, jobs[2].id])
            #expect(try await ledger.latest(.running, limit: 2).isEmpty)
        },
        Rule("unreadable dead letters are kept once, shown and thrown away") { suite in
            let ledger = try await suite.make()
            let letters = ["{", "[", "{"].map { NotifierMessage.unreadable(Data($0.utf8), reason: "no JSON") }
            try await record(letters, in: ledger)
            let all = try await ledger.unreadable(before: nil, limit: 10)
            #expect(all.map(\.body) == [Data("[".utf8), Data("{".utf8)])
            #expect(try await ledger.unreadableCount(DeadLetterListing(isReplayed: false)) == 2)
            #expect(try await ledger.unreadableCount(DeadLetterListing(isReplayed: true)) == 0)
            let newest = try #require(all.first)
            #expect(try await ledger.unreadable(before: newest.id, limit: 10) == [all[1]])
            #expect(try await ledger.unreadable(newest.id) == newest)
            #expect(try await ledger.discardUnreadable(newest.id))
            #expect(try await !ledger.discardUnreadable(newest.id))
            #expect(try await ledger.unreadable(newest.id) == nil)
        },
    ]

    private static func pages(_ filter: LedgerFilter, _ ledger: any Ports) async throws -> [JobID] {
        var filter = filter
        var ids: [JobID] = []
        while true {
            let page = try await ledger.jobs(filter)
            #expect(page.jobs.count <= filter.limit)
            ids += page.jobs.map(\.id)
            guard let next = page.next else { return ids }
            filter.after = next
        }
    }
}
