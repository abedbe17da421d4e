import Foundation
import Testing
import Uploads

extension LedgerConformance {
    /// Idempotency keys: a producer makes a job's id of its key, so that a key that is used again brings another order with the same id.
    static let keying = [
        Rule("a job is found by names of the largest length and any characters") { suite in
            let ledger = try await suite.make()
            // Four bytes each, and nothing in them that could be compressed; an index of PostgreSQL takes 2,700 bytes.
            var random = SystemRandomNumberGenerator()
            func name(_ count: Int, ending: String = "") -> String {
                let scalars = (0..<(count - ending.count)).map { _ in
                    UnicodeScalar(UInt32.random(in: 0x1_0000...0x10_FFFF, using: &random)) ?? "a"
                }
                return String(String.UnicodeScalarView(scalars)) + ending
            }
            let (key, staged) = (name(WireLimits.pathLengthMaximum), name(WireLimits.nameLengthMaximum))
            var job = makeJob(key)
            job.source = .staged(area: "area", name: staged)
            job.batch = name(WireLimits.nameLengthMaximum)
            job.idempotencyKey = name(WireLimits.nameLengthMaximum)
            var end = UploadEvent(kind: .completed, of: Baton(job: job), at: start)
            end.id = name(WireLimits.nameLengthMaximum, ending: "\0end")
            for _ in 0..<2 {
                try await record([.job(job, maybeRepeated: false), .event(end)], in: ledger)
            }
            for change: (inout LedgerFilter) -> Void in [
                { $0.batch = job.batch }, { $0.idempotencyKey = job.idempotencyKey },
            ] {
                var filter = LedgerFilter()
                change(&filter)
                #expect(try await ledger.jobs(filter).jobs.map(\.id) == [job.id])
            }
            #expect(try await ledger.jobs(naming: [staged], inArea: "area").keys.map(\.self) == [staged])
            #expect(try await ledger.events(of: job.id).map(\.id) == [end.id])
            let due = try await ledger.due(for: "hook", ordered: false, now: start + 60, excluding: [], limit: 10)
            #expect(due.map(\.event.job.id) == [job.id])
            #expect(try await ledger.unreadableCount(DeadLetterListing()) == 0)
        },
        Rule("an order under a used key changes nothing while the first one's job is open") { suite in
            let ledger = try await suite.make()
            let job = keyed("a")
            try await record([.job(job, maybeRepeated: false)], in: ledger)
            let known = try await ledger.job(job.id)
            #expect(try await record([.job(again(job), maybeRepeated: false)], in: ledger).isEmpty)
            #expect(known?.baton.job == job)
            #expect(try await ledger.job(job.id) == known)
            #expect(try await ledger.counts() == [.queued: 1])
            #expect(try await ledger.unreadableCount(DeadLetterListing()) == 0)
        },
        Rule("after the end, each order under a used key is owed the outcome once more, and no delegate gets it twice")
        {
            suite in
            let ledger = try await suite.make()
            let job = keyed("a")
            let first = try await record([.job(job, maybeRepeated: false), event(.completed, job)], in: ledger)
            ledger.settle(first.map(\.id))
            try #require(first.count == 1)
            var last = first[0].id
            for _ in 0..<2 {
                let owed = try await record([.job(again(job), maybeRepeated: true)], in: ledger)
                try #require(owed.map(\.action) == first.map(\.action))
                #expect(owed[0].id > last)
                #expect(try await ledger.owed() == owed)
                ledger.settle(owed.map(\.id))
                last = owed[0].id
            }
            #expect(try await ledger.status(of: "hook").backlog == 1)
            #expect(try await ledger.events(of: job.id).map(\.kind) == [.completed])
            #expect(try await ledger.job(job.id)?.baton.job == job)
            #expect(try await ledger.unreadableCount(DeadLetterListing()) == 0)
        },
        Rule("an order under a key whose job has ended in the same batch is owed the outcome as well") { suite in
            let ledger = try await suite.make()
            let job = keyed("a")
            let owed = try await record(
                [.job(job, maybeRepeated: false), event(.failed, job), .job(again(job), maybeRepeated: false)],
                in: ledger)
            let ids = owed.map { if case .outcome(let event) = $0.action { event.id } else { "" } }
            #expect(ids == ["\(job.id).1.ended", "\(job.id).1.ended"])
            #expect(try await ledger.status(of: "hook").backlog == 1)
        },
        Rule("an order without a key is owed nothing when it comes again after the end") { suite in
            let ledger = try await suite.make()
            let job = makeJob("a")
            let first = try await record([.job(job, maybeRepeated: false), event(.completed, job)], in: ledger)
            #expect(first.count == 1)
            #expect(try await record([.job(job, maybeRepeated: true)], in: ledger).isEmpty)
        },
        Rule("other content under a used key is kept once for an operator, without secrets, and the first order holds")
        {
            suite in
            let ledger = try await suite.make()
            var job = keyed("a")
            job.digests = Digests(sha256: String(repeating: "a", count: 64))
            var others = [again(job), again(job), again(job)]
            others[0].size = 6
            others[1].digests = Digests(sha256: String(repeating: "b", count: 64))
            others[2].destination = .url("https://host.example/a?signature=hidden")
            try await record([.job(job, maybeRepeated: false)], in: ledger)
            for _ in 0..<2 {
                for other in others {
                    #expect(try await record([.job(other, maybeRepeated: false)], in: ledger).isEmpty)
                }
            }
            let letters = try await ledger.unreadable(before: nil, limit: 10).reversed()
            #expect(
                try letters.map { try WireJSON.decode(UploadJob.self, from: $0.body) } == others.map(\.redacted))
            for letter in letters {
                #expect(letter.reason.hasPrefix("refused: the idempotency key of job \(job.id) was used before"))
                #expect(letter.envelope == MessageEnvelope(messageID: job.id.rawValue, isRedacted: true))
                #expect(!String(decoding: letter.body, as: UTF8.self).contains("hidden"))
            }
            #expect(try await ledger.job(job.id)?.baton.job == job)
        },
        Rule("an order under a used key is the same one although a worker has given its object another name") { suite in
            let ledger = try await suite.make()
            let job = keyed("a")
            let renamed = try #require(job.renamed)
            #expect(renamed.destination == .named(DestinationName(unchecked: "photos"), key: "a-1"))
            try await record([.job(job, maybeRepeated: false), event(.handedOver, renamed, slice: 1)], in: ledger)
            #expect(try await ledger.job(job.id)?.baton.job.destination == renamed.destination)
            #expect(try await record([.job(again(job), maybeRepeated: false)], in: ledger).isEmpty)
            #expect(try await ledger.unreadableCount(DeadLetterListing()) == 0)
        },
        Rule("an order under a used key completes one that is known from events alone") { suite in
            let ledger = try await suite.make()
            var job = makeSecretJob()
            job.idempotencyKey = "a"
            try await record([event(.handedOver, job.redacted, slice: 1)], in: ledger)
            await #expect(throws: UploadError.self) {
                _ = try await ledger.order(.runNow, of: job.id, view: ControlView(), routes: [], now: start)
            }
            #expect(try await record([.job(job, maybeRepeated: true)], in: ledger).isEmpty)
            #expect(try await ledger.unreadableCount(DeadLetterListing()) == 0)
            let owed = try await ledger.order(.runNow, of: job.id, view: ControlView(), routes: [], now: start)
            guard case .mark(let marker) = owed.first?.action,
                case .issue(let baton, .urgent, _) = try await record([.marker(marker)], in: ledger).first?.action
            else {
                Issue.record("an order to run now is marked and issued: \(owed)")
                return
            }
            #expect(baton.job == job && baton.slice == 0 && baton.generation == 2)
        },
    ]

    private static func keyed(_ key: String) -> UploadJob {
        var job = makeJob(key)
        job.idempotencyKey = key
        return job
    }

    /// The order of a producer that uses the key once more, with another staged copy of the same content.
    private static func again(_ job: UploadJob) -> UploadJob {
        var job = job
        job.source = .staged(area: "area", name: "staged-again")
        job.enqueuedAt += 60
        return job
    }
}
