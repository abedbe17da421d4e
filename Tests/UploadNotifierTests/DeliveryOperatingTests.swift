import Foundation
import Testing
import Uploads

@testable import UploadNotifier

@Suite("Operating delegates", .timeLimit(.minutes(10)))
struct DeliveryOperatingTests {
    private func end(_ ledger: Ledger, _ jobs: [UploadJob], at time: Date = Sample.start, for delegates: [String])
        async throws
    {
        _ = try await ledger.record(
            jobs.map { Sample.event(.completed, $0) }, view: ControlView(),
            routes: delegates.map { DeliveryRoute(delegate: $0) }, now: time)
    }

    @Test func `a delegate that answers 500 for an hour misses nothing, and one beside it sees no delay`() async throws
    {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        let time = ManualClock()
        let back = Sample.start.addingTimeInterval(3600)
        let down = ScriptedDelegate("down") { _ throws(UploadError) in
            guard time.now >= back else { throw UploadError(.serverFailure, "500", retry: .afterBackoff) }
        }
        let beside = ScriptedDelegate("beside")
        let jobs = (0..<24).map { Sample.job(key: "\($0)") }
        try await serve(
            ledger, [RegisteredDelegate(down), RegisteredDelegate(beside)], clock: time.clock
        ) { service in
            // A job ends every five minutes, for two hours.
            for (index, job) in jobs.enumerated() {
                let now = Sample.start.addingTimeInterval(Double(index) * 300)
                time.advance(to: now)
                try await end(ledger, [job], at: now, for: ["down", "beside"])
                service.wake()
                // The clock does not move meanwhile, so there is no delay at all.
                try await until { beside.attempts.count == index + 1 }
            }
            // The clock moves from alarm to alarm, until the last outcome of the hour is delivered.
            try await until {
                if let next = time.nextAlarm { time.advance(to: next) }
                return try await ledger.status(of: "down").backlog == 0
            }
        }
        let taken = try await ledger.deliveries(DeliveryListing(delegate: "down", status: .delivered))
        #expect(Set(taken.map(\.job)) == Set(jobs.map(\.id.rawValue)))
        #expect(taken.allSatisfy { ($0.deliveredAt ?? .distantPast) >= back })
        for record in taken {
            let ids = Set(down.attempts.filter { $0.job.id.rawValue == record.job }.map(\.id))
            #expect(ids == [record.event])
        }
        let quick = try await ledger.deliveries(DeliveryListing(delegate: "beside", status: .delivered))
        #expect(quick.count == jobs.count)
        #expect(quick.allSatisfy { $0.deliveredAt == $0.createdAt })
    }

    @Test func `a paused delegate gets nothing, restarts included, until it is resumed`() async throws {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        let delegate = ScriptedDelegate("hook")
        let beside = ScriptedDelegate("beside")
        let both = [RegisteredDelegate(delegate), RegisteredDelegate(beside)]
        try await serve(ledger, both, clock: ManualClock().clock) { service in
            try await service.pause("hook", by: "jo")
        }
        try await end(ledger, [Sample.job()], for: ["hook", "beside"])
        try await serve(ledger, both, clock: ManualClock().clock) { service in
            try await until { beside.attempts.count == 1 }
            #expect(delegate.attempts.isEmpty)
            let status = try await ledger.status(of: "hook")
            #expect(status.reason == "paused by jo")
            #expect(status.backlog == 1)
            try await service.resume("hook")
            try await until { delegate.attempts.count == 1 }
        }
    }

    @Test func `a pause in the middle of a backlog lets only the deliveries under way end`() async throws {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        let (isGone, go) = AsyncStream.makeStream(of: Void.self)
        let delegate = ScriptedDelegate("hook") { attempt throws(UploadError) in
            if attempt == 3 { for await _ in isGone {} }
        }
        try await end(ledger, (0..<20).map { Sample.job(key: "\($0)") }, for: ["hook"])
        let one = RegisteredDelegate(delegate, concurrencyMaximum: 1)
        try await serve(ledger, [one], clock: ManualClock().clock) { service in
            try await until { delegate.attempts.count == 3 }
            try await service.pause("hook", by: "jo")
            go.finish()
            try await until { try await ledger.status(of: "hook").backlog == 17 }
            // What is replayed counts as due at once, but the delegate stays paused.
            let replayed = try await service.replay(.failed(delegate: "hook"), in: ledger)
            #expect(replayed == 0 && delegate.attempts.count == 3)
            try await service.resume("hook")
            try await until { delegate.attempts.count == 20 }
        }
        #expect(Set(delegate.attempts.map(\.id)).count == 20)
    }

    @Test func `what is replayed is delivered at once, under the same id`() async throws {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        let delegate = ScriptedDelegate("hook")
        try await end(ledger, [Sample.job()], for: ["hook"])
        try await serve(ledger, [RegisteredDelegate(delegate)], clock: ManualClock().clock) { service in
            try await until { try await ledger.status(of: "hook").backlog == 0 }
            let record = try #require(try await ledger.deliveries(DeliveryListing()).first)
            #expect(try await service.replay(.one(record.id), in: ledger) == 1)
            try await until { delegate.attempts.count == 2 }
        }
        #expect(Set(delegate.attempts).count == 1)
    }

    @Test func `a test reaches a paused delegate, says that it is one, and leaves the backlog alone`() async throws {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        let delegate = ScriptedDelegate("hook") { attempt throws(UploadError) in
            if attempt == 2 {
                throw UploadError(.rejected, "no", response: ServerResponse(status: 400, body: Data("bad".utf8)))
            }
        }
        try await end(ledger, [Sample.job()], for: ["hook"])
        try await ledger.pause("hook", reason: "jo", at: Sample.start, held: true)
        try await serve(ledger, [RegisteredDelegate(delegate)], clock: ManualClock().clock) { service in
            #expect(try await service.test("hook").error == nil)
            let second = try await service.test("hook")
            #expect(second.status == 400)
            #expect(second.answer == "bad")
            #expect(second.error?.contains("no") == true)
            let error = await #expect(throws: UploadError.self) { try await service.test("hok") }
            #expect(error?.message.contains("hook") == true)
        }
        #expect(delegate.attempts.allSatisfy { $0.id.hasPrefix("test.") && $0.job.batch == "test" })
        #expect(try await ledger.status(of: "hook").backlog == 1)
    }

    @Test func `a queue that is full for days takes everything once it has room`() async throws {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        let time = ManualClock()
        let queues = MemoryQueues()
        queues.isFull = true
        let delegate = try RegisteredDelegate(
            DelegateConfiguration(
                name: "crm", kind: .queue(QueueConfiguration()), mapping: try FieldMapping(["file": "subject"])),
            queues: queues, logger: quiet)
        let job = Sample.job()
        try await end(ledger, [job], for: ["crm"])
        try await serve(ledger, [delegate], clock: time.clock) { _ in
            for _ in 0..<50 {
                try await until { time.nextAlarm.map { $0 > time.now } ?? false }
                if let next = time.nextAlarm { time.advance(to: next) }
            }
            queues.isFull = false
            try await until {
                if let next = time.nextAlarm { time.advance(to: next) }
                return !queues.messages.isEmpty
            }
        }
        let message = try #require(queues.messages.first)
        #expect(message.queue == "crm")
        #expect(message.id == "\(job.id).1.ended")
        let body = try WireJSON.decode(JSONValue.self, from: message.body)
        #expect(body["data"] == ["file": .string(job.id.rawValue)])
        #expect(body["id"] == .string(message.id))
    }
}
