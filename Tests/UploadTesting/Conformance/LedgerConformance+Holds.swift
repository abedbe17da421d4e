import Foundation
import Testing
import Uploads

extension LedgerConformance {
    /// Jobs whose message the broker has lost before a worker began it.
    static let holding = [
        Rule("jobs that a policy has dropped wait for a pause and for a worker, and their markers are sent again") {
            suite in
            let ledger = try await suite.make()
            let jobs = (0..<20).map { makeJob("\($0)") }
            let policy = DeathCause.expired(queue: "upload.jobs.default.normal")
            try await record(jobs.map { .deadBaton(Baton(job: $0), policy) }, in: ledger)
            #expect(try await ledger.job(jobs[0].id)?.hold == IssueHold(.policy, until: start + 2))
            func released(at seconds: TimeInterval, hasWorker: Bool, limit: Int = 100) async throws -> [IssueMarker] {
                // The markers of the jobs are lost.
                try await release(.standard, from: ledger, at: seconds, hasWorker: hasWorker, limit: limit)
            }
            #expect(try await ledger.heldQueues(after: nil, now: start, limit: 10).due.isEmpty)
            #expect(try await ledger.heldQueues(after: nil, now: start + 2, limit: 10).due == [.standard])
            #expect(try await released(at: 1, hasWorker: true).isEmpty)
            #expect(try await released(at: 2, hasWorker: false).isEmpty)
            var markers = try await released(at: 2, hasWorker: true, limit: 15)
            #expect(markers.count == 15)
            markers += try await released(at: 2, hasWorker: true)
            #expect(Set(markers.map(\.job)) == Set(jobs.map(\.id)) && markers.count == 20)
            #expect(try await released(at: 2, hasWorker: true).isEmpty)
            // The marker of each job is sent again later, until a generation begins.
            #expect(try await released(at: 61, hasWorker: true).isEmpty)
            let again = try await released(at: 62, hasWorker: true)
            #expect(again.count == 20 && Set(again) == Set(markers))
        },
        Rule("jobs that were given up are issued anew in the order of their times, without a worker, queue by queue") {
            suite in
            let ledger = try await suite.make()
            let jobs = (0..<3).map { makeJob("\($0)") } + [makeJob("other", queue: "other")]
            for (job, seconds) in zip(jobs, [5.0, 0, 9, 0]) {
                _ = try await ledger.record(
                    [.deadBaton(Baton(job: job), .deliveryLimit)], view: ControlView(), routes: [], now: start + seconds
                )
            }
            #expect(try await ledger.job(jobs[2].id)?.hold == IssueHold(.givenUp, until: start + 11))
            var found: [JobID] = []
            for _ in 0..<4 {
                let markers = try await release(.standard, from: ledger, at: 20, hasWorker: false, limit: 1)
                found += markers.map(\.job)
            }
            #expect(found == [1, 0, 2].map { jobs[$0].id })
            let others = try await release(
                QueueName(unchecked: "other"), from: ledger, at: 20, hasWorker: false, limit: 9)
            #expect(others.map(\.job) == [jobs[3].id])
        },
        Rule("a job whose baton no lane takes is held, also across a restart, until its next generation begins") {
            suite in
            var ledger = try await suite.make()
            let job = makeSecretJob()
            let first = try await issue(event(.suspect, job), in: ledger)
            try await ledger.unclaimed(first, .noLane, now: start + 1)
            ledger = try await suite.reopen(ledger)
            let held = try #require(try await ledger.job(job.id))
            #expect(held.hold == IssueHold(.noLane, until: start + 1) && held.generation == 2)
            #expect(held.reason == DeathCause.noLane.reason)
            #expect(try await ledger.heldQueues(after: nil, now: start, limit: 10).due.isEmpty)
            #expect(try await ledger.heldQueues(after: nil, now: start + 1, limit: 10).due == [.standard])
            let markers = try await release(.standard, from: ledger, at: 1, hasWorker: false, limit: 10)
            #expect(markers.map(\.generation) == [2])
            let second = try await issue(.marker(try #require(markers.first)), in: ledger)
            #expect(second.generation == 3 && second.job == job)
            #expect(try await ledger.job(job.id)?.hold == nil)
            // The baton of the older generation comes back late.
            try await ledger.unclaimed(first, .noLane, now: start + 2)
            #expect(try await ledger.job(job.id)?.hold == nil)
            #expect(
                try await ledger.heldQueues(after: nil, now: start + 999, limit: 10) == HeldQueues(due: [], next: nil))
        },
        Rule("queues with held jobs are looked at in turns, by name, however many names come up") { suite in
            let ledger = try await suite.make()
            let names = (0..<250).map { QueueName(unchecked: "q\(1000 + $0)") }
            let messages = names.reversed().map { name in
                NotifierMessage.deadBaton(Baton(job: makeJob("a", queue: name.rawValue)), .noLane)
            }
            try await record(messages, in: ledger)
            var found: [QueueName] = []
            var last: QueueName?
            for _ in 0..<26 {
                let held = try await ledger.heldQueues(after: last, now: start, limit: 10)
                #expect(held.due.count <= 10)
                found += held.due
                last = held.next
                if last == nil { break }
            }
            #expect(last == nil)
            #expect(found == names)
        },
        Rule("a held job that ends is held no more") { suite in
            let ledger = try await suite.make()
            let job = makeJob("a")
            let overflow = DeathCause.overflowed(queue: "upload.jobs.default.normal")
            try await record([.deadBaton(Baton(job: job), overflow), event(.completed, job)], in: ledger)
            #expect(try await ledger.job(job.id)?.hold == nil)
            #expect(
                try await ledger.heldQueues(after: nil, now: start + 60, limit: 10) == HeldQueues(due: [], next: nil))
        },
    ]

    /// Releases held jobs, and settles what is owed.
    /// - Returns: the markers, in their order.
    private static func release(
        _ queue: QueueName, from ledger: any Ports, at seconds: TimeInterval, hasWorker: Bool, limit: Int
    ) async throws -> [IssueMarker] {
        let owed = try await ledger.release(
            queue, hasWorker: hasWorker, view: ControlView(), now: start + seconds, limit: limit)
        ledger.settle(owed.map(\.id))
        let markers = owed.compactMap { if case .mark(let marker) = $0.action { marker } else { nil } }
        #expect(markers.count == owed.count)
        return markers
    }

    /// Records a message, and the markers that it is owed, until a baton is issued, and settles what is owed.
    private static func issue(_ message: NotifierMessage, in ledger: any Ports) async throws -> Baton {
        var message = message
        while true {
            let owed = try await record([message], in: ledger)
            ledger.settle(owed.map(\.id))
            switch try #require(owed.first).action {
            case .mark(let marker): message = .marker(marker)
            case .issue(let baton, _, _): return baton
            default: throw UploadError(.unknown, "neither a marker nor a baton is owed: \(owed)")
            }
        }
    }
}
