import Foundation
import Testing
import Uploads

extension LedgerConformance {
    static let sweeping = [
        Rule("jobs that have not ended and recent failures name their sessions, others do not") { suite in
            let ledger = try await suite.make()
            try await record(
                [
                    begun(.handedOver, makeJob("a"), "running"), begun(.waiting, makeJob("b"), "waiting"),
                    begun(.started, makeJob("c"), "started"), begun(.paused, makeJob("d"), "paused"),
                    begun(.failed, makeJob("e"), "failed"), begun(.completed, makeJob("f"), "completed"),
                    begun(.cancelled, makeJob("g"), "cancelled"), begun(.handedOver, makeJob("h"), nil),
                    .job(makeJob("i"), maybeRepeated: false),
                ], in: ledger)
            let open = Set(["running", "waiting", "started", "paused"].map(state))
            let all = try await ledger.namedStates(failedSince: start)
            #expect(Set(all) == open.union([state("failed")]))
            let later = try await ledger.namedStates(failedSince: start + 1)
            #expect(Set(later) == open)
        },
        Rule("a job that has not ended names the session with which its generation began as well") { suite in
            let ledger = try await suite.make()
            let job = makeJob("a")
            try await record([begun(.handedOver, job, "first"), begun(.waiting, job, "second", slice: 2)], in: ledger)
            #expect(Set(try await ledger.namedStates(failedSince: start)) == [state("first"), state("second")])
            try await record([begun(.completed, job, nil, slice: 3)], in: ledger)
            #expect(try await ledger.namedStates(failedSince: start).isEmpty)
        },
        Rule("what jobs of a destination and key had begun stays known after their end") { suite in
            let ledger = try await suite.make()
            let key = "a \"b\"/ü"
            let (one, two) = (makeJob(key), makeJob(key))
            var other = makeJob("url")
            other.destination = .url("https://host.example/a?signature=hidden")
            try await record(
                [
                    begun(.handedOver, one, "first"), begun(.waiting, one, "second", slice: 2),
                    begun(.completed, one, nil, slice: 3), begun(.failed, two, "failed"),
                    begun(.handedOver, makeJob("a"), "other"), .job(other, maybeRepeated: false),
                ], in: ledger)
            for name in ["first", "second", "failed"] {
                #expect(try await ledger.knows(name, key), "\(name)")
                // An event from before an upload began names another upload of the same id.
                #expect(try await !ledger.knows(name, key, since: start + 1), "\(name)")
            }
            #expect(try await !ledger.knows("other", key))
            #expect(try await ledger.knows("other", "a"))
            #expect(try await !ledger.knows("first", "A \"b\"/ü"))
            #expect(try await !ledger.knows("first", "a \"b\"/u\u{308}"), "another spelling is another key")
            #expect(try await !ledger.knows("first", key, at: "other"))
        },
        Rule("a session is known by the time at which it was last reported") { suite in
            let ledger = try await suite.make()
            let job = makeJob("a")
            try await record(
                [
                    begun(.handedOver, job, "early"), begun(.waiting, job, "late", slice: 2, after: 60),
                    begun(.completed, job, nil, slice: 3, after: 120),
                ], in: ledger)
            #expect(try await ledger.knows("early", "a", since: start))
            #expect(try await ledger.knows("late", "a", since: start + 60))
            #expect(try await !ledger.knows("late", "a", since: start + 61))
        },
        Rule("what a job began beside its key is known there") { suite in
            let ledger = try await suite.make()
            let job = makeJob("cat.jpg")
            let renamed = try #require(job.renamed)
            #expect(renamed.destination == .named(DestinationName(unchecked: "photos"), key: "cat-1.jpg"))
            try await record(
                [
                    .job(job, maybeRepeated: false), begun(.handedOver, renamed, "beside"),
                    begun(.completed, renamed, nil, slice: 2),
                ], in: ledger)
            #expect(try await ledger.knows("beside", "cat-1.jpg"))
        },
        Rule("the jobs that name staged copies are found by area and name, ended ones too") { suite in
            let ledger = try await suite.make()
            let (one, ended, elsewhere) = (makeJob("7"), makeJob("7", after: 1), makeJob("7", after: 2))
            var twin = ended
            twin.destination = makeJob("8").destination
            var far = elsewhere
            far.source = .staged(area: "elsewhere", name: "staged-7")
            var inline = makeJob("9")
            inline.source = .inline(Data("staged-7".utf8))
            try await record(
                [one, twin, far, inline, makeJob("250")].map { .job($0, maybeRepeated: false) }
                    + [event(.completed, twin)], in: ledger)
            let names: Set = ["staged-7", "staged-250", "staged-300", "", "\"'%"]
            let found = try await ledger.jobs(naming: names, inArea: "area")
            #expect(Set(found.keys) == ["staged-7", "staged-250"])
            #expect(found["staged-7"]?.map(\.id) == [one.id, twin.id])
            #expect(found["staged-7"]?.map(\.status) == [.queued, .completed])
            let other = try await ledger.jobs(naming: names, inArea: "elsewhere")
            #expect(other.mapValues { $0.map(\.id) } == ["staged-7": [far.id]])
            #expect(try await ledger.jobs(naming: names, inArea: "nowhere").isEmpty)
            #expect(try await ledger.jobs(naming: [], inArea: "area").isEmpty)
        },
        Rule("the copy of a forgotten job is still found, and that of a removed one is not") { suite in
            let ledger = try await suite.make()
            let (job, other) = (makeJob("a"), makeJob("b"))
            let owed = try await record(
                [job, other].flatMap { [.job($0, maybeRepeated: false), event(.completed, $0)] }, in: ledger,
                routes: [])
            ledger.settle(owed.map(\.id))
            let page = try await ledger.forget(endedBefore: start + 1, after: nil, at: start, limit: 9)
            #expect(page.count == 2)
            let names: Set = ["staged-a", "staged-b"]
            #expect(Set(try await ledger.jobs(naming: names, inArea: "area").keys) == names)
            #expect(try await ledger.prune(endedBefore: start + 1, besides: ControlView(), limit: 9) == 2)
            #expect(try await ledger.jobs(naming: names, inArea: "area").isEmpty)
        },
    ]

    private static func state(_ name: String) -> UploadState {
        UploadState(driver: "s3", payload: ["upload": .string(name)])
    }

    /// An event of a job that has a session.
    private static func begun(
        _ kind: EventKind, _ job: UploadJob, _ name: String?, slice: Int = 1, after seconds: Double = 0
    ) -> NotifierMessage {
        var baton = Baton(job: job)
        baton.slice = slice
        baton.state = name.map(state)
        return .event(UploadEvent(kind: kind, of: baton, at: start + seconds))
    }
}

extension SweepQueries {
    fileprivate func knows(
        _ name: String, _ key: String, at destination: String = "photos", since: Date = LedgerConformance.start
    ) async throws -> Bool {
        try await knowsState(at: DestinationName(unchecked: destination), key: key, toldSince: since) {
            $0.payload == ["upload": .string(name)]
        }
    }
}
