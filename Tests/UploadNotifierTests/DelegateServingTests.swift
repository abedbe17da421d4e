import Foundation
import Testing
import UploadTesting
import Uploads

@testable import UploadNotifier

@Suite("Delegates that come, change and go while others are told", .timeLimit(.minutes(10)))
struct DelegateServingTests {
    private let scratch: Scratch
    private let ledger: Ledger

    init() throws {
        scratch = try Scratch()
        ledger = try Ledger.open(path: scratch.file())
    }

    private func serve(
        _ delegates: [RegisteredDelegate], while body: (DeliveryService) async throws -> Void
    ) async throws {
        try await UploadNotifierTests.serve(ledger, delegates, clock: ManualClock().clock, while: body)
    }

    private func end(_ count: Int, for delegates: [String]) async throws {
        _ = try await ledger.record(
            (0..<count).map { Sample.event(.completed, Sample.job(key: "\($0)")) }, view: ControlView(),
            routes: delegates.map { DeliveryRoute(delegate: $0) }, now: Sample.start)
    }

    @Test func `a new delegate gets outcomes at once, and deliveries under way go on`() async throws {
        let door = Door()
        let slow = ScriptedDelegate("slow") { _ in await door.wait() }
        let both = [RegisteredDelegate(slow, concurrencyMaximum: 2)]
        try await end(3, for: ["slow", "new"])
        try await serve(both) { service in
            try await until { slow.attempts.count == 2 }
            let new = ScriptedDelegate("new")
            service.serve(both + [RegisteredDelegate(new)])
            try await until { try await ledger.status(of: "new").backlog == 0 }
            #expect(new.attempts.count == 3)
            #expect(slow.attempts.count == 2)
            #expect(service.names == ["new", "slow"])
            door.open()
            try await until { try await ledger.status(of: "slow").backlog == 0 }
            #expect(slow.attempts.count == 3, "nothing was cut off and told again")
        }
    }

    @Test func `another definition holds from the next delivery on, and deliveries under way end as they began`()
        async throws
    {
        let door = Door()
        let old = ScriptedDelegate("hook") { _ in await door.wait() }
        let new = ScriptedDelegate("hook")
        try await end(4, for: ["hook"])
        try await serve([RegisteredDelegate(old, concurrencyMaximum: 2)]) { service in
            try await until { old.attempts.count == 2 }
            service.serve([RegisteredDelegate(new, concurrencyMaximum: 4)])
            try await until { new.attempts.count == 2 }
            door.open()
            try await until { try await ledger.status(of: "hook").backlog == 0 }
            #expect(Set((old.attempts + new.attempts).map(\.id)).count == 4)
            #expect(old.attempts.count == 2 && new.attempts.count == 2)
        }
    }

    @Test func `another definition resumes a delegate that its failures paused, but not one that an operator paused`()
        async throws
    {
        let broken = ScriptedDelegate("hook") { _ throws(UploadError) in throw UploadError(.rejected, "gone") }
        let mended = ScriptedDelegate("hook")
        try await end(1, for: ["hook"])
        try await serve([RegisteredDelegate(broken)]) { service in
            try await until { try await ledger.status(of: "hook").pausedSince != nil }
            service.serve([RegisteredDelegate(mended)])
            try await until { mended.attempts.count == 1 }
            try await until { try await ledger.status(of: "hook").backlog == 0 }
            try await service.pause("hook", by: "jo")
            try await end(1, for: ["hook", "beside"])
            let beside = ScriptedDelegate("beside")
            service.serve([RegisteredDelegate(mended), RegisteredDelegate(beside)])
            try await until { beside.attempts.count == 1 }
            #expect(try await ledger.status(of: "hook").isHeld)
            #expect(mended.attempts.count == 1)
        }
    }

    @Test func `a removed delegate takes nothing more, and a new one of its name waits for its deliveries under way`()
        async throws
    {
        let door = Door()
        let gone = ScriptedDelegate("hook") { _ throws(UploadError) in
            await door.wait()
            throw UploadError(.rejected, "gone")
        }
        let back = ScriptedDelegate("hook")
        try await end(3, for: ["hook"])
        try await serve([RegisteredDelegate(gone, concurrencyMaximum: 1)]) { service in
            try await until { gone.attempts.count == 1 }
            service.serve([])
            #expect(service.names.isEmpty)
            let error = await #expect(throws: UploadError.self) { try await service.test("hook") }
            #expect(error?.code == .rejected)
            service.serve([RegisteredDelegate(back)])
            #expect(back.attempts.isEmpty)
            door.open()
            try await until { try await ledger.status(of: "hook").backlog == 0 }
            #expect(gone.attempts.count == 1)
            #expect(Set(back.attempts.map(\.id)).count == 3)
            #expect(try await ledger.status(of: "hook").pausedSince == nil)
        }
    }
}
