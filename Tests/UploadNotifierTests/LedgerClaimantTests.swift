import Foundation
import ServiceLifecycle
import Synchronization
import Testing
import UploadTesting
import Uploads

@testable import UploadNotifier

/// A namespace has one ledger, which decides which notifier may go to work and when it has to stop.
@Suite(.timeLimit(.minutes(10))) final class LedgerClaimantTests: Sendable {
    private let scratch: Scratch
    private let bus = MemoryNotifierBus()
    private let reported = Mutex<[LedgerObstacle]>([])

    init() throws { scratch = try Scratch() }

    private func claimant(_ ledger: Ledger) -> LedgerClaimant {
        LedgerClaimant(
            bus: bus, ledger: ledger, configuration: NotifierConfiguration(retryDelayMaximum: .milliseconds(10)),
            logger: quiet)
    }

    private func claim(_ ledger: Ledger) async throws -> ControlView {
        try await claimant(ledger).claim { obstacle in self.reported.withLock { $0.append(obstacle) } }
    }

    private var reasons: [String] {
        reported.withLock { $0.map { $0.reason(path: "") } }
    }

    /// Appends the entry of `uploadctl ledger adopt`.
    private func adopt(_ path: String) async throws {
        let identity = try await LedgerReader(path: path).identity()
        let claim = try #require(try await bus.controlView().ledger)
        try await bus.append(
            .ledger(LedgerClaim(ledger: identity.id, term: claim.term + 1, opening: identity.opening)))
    }

    @Test func `a notifier with another ledger takes nothing until that is adopted, and the one at work stops then`()
        async throws
    {
        let (first, second) = (
            try Ledger.open(path: scratch.file()), try Ledger.open(path: scratch.file("other.sqlite"))
        )
        let claimed = try await claim(first)
        #expect(claimed.ledger?.term == 1)
        let service = NotifierService(bus: bus, ledger: first, claimed: claimed, delegates: [], logger: quiet)
        let (one, two) = (Sample.job(key: "one"), Sample.job(key: "two"))
        try await withThrowingTaskGroup(of: ControlView?.self) { group in
            group.addTask {
                let group = ServiceGroup(
                    configuration: ServiceGroupConfiguration(
                        services: [.init(service: service, successTerminationBehavior: .gracefullyShutdownGroup)],
                        logger: quiet))
                try await group.run()
                return nil
            }
            group.addTask { try await self.claim(second) }
            try await until { !reasons.isEmpty }
            bus.send(.job(one, maybeRepeated: false))
            try await until { bus.acknowledged == 1 }
            #expect(try await first.job(one.id) != nil)

            try await adopt(second.path)
            let ends = [try await group.next(), try await group.next()].compactMap { $0 ?? nil }
            #expect(ends.map(\.ledger?.term) == [2])
        }
        #expect(reasons.count == 1)
        #expect(reasons[0].contains("\(second.path) is another one") && reasons[0].contains("uploadctl ledger adopt"))
        #expect(service.isSuperseded)
        bus.send(.job(two, maybeRepeated: false))
        await #expect(throws: UploadError.self) {
            _ = try await service.handle([.job(two, maybeRepeated: false)])
        }
        #expect(try await first.job(two.id) == nil && bus.waiting == 1)
        // The first notifier starts again: its namespace belongs to another ledger now.
        let late = Task { try await self.claim(first) }
        try await until { reasons.count == 2 }
        late.cancel()
        await #expect(throws: CancellationError.self) { _ = try await late.value }
        #expect(reasons[1].contains("\(first.path) is another one"))
        try first.close()
        try second.close()
    }

    @Test(arguments: MemoryNotifierBus.Fault.allCases)
    func `a claim whose confirm is lost, or that a crash cut off, is made again`(fault: MemoryNotifierBus.Fault)
        async throws
    {
        let ledger = try Ledger.open(path: scratch.file())
        bus.fail(attempt: 1, fault)
        _ = try await claim(ledger)
        let identity = try await ledger.identity()
        #expect(identity.pending == nil)
        // One crash between the note in the ledger and the log's entry, and one between the entry and the next note.
        let pending = UUID()
        try await ledger.notePending(pending)
        #expect(try await claim(ledger).ledger?.term == 1)
        try await ledger.notePending(pending)
        try await bus.append(.ledger(LedgerClaim(ledger: identity.id, term: 1, opening: pending)))
        let view = try await claim(ledger)
        #expect(view.ledger == LedgerClaim(ledger: identity.id, term: 1, opening: try await ledger.identity().opening))
        #expect(try await bus.controlView().ledger == view.ledger)
        try ledger.close()
    }

    @Test func `a backup goes on where the ledger was, and is an old copy once the ledger was opened again`()
        async throws
    {
        let ledger = try Ledger.open(path: scratch.file())
        _ = try await claim(ledger)
        for name in ["now.sqlite", "old.sqlite"] { try await ledger.backup(to: scratch.file(name)) }
        let restored = try Ledger.open(path: scratch.file("now.sqlite"))
        #expect(try await restored.identity() == ledger.identity())
        _ = try await claim(restored)
        let old = try Ledger.open(path: scratch.file("old.sqlite"))
        let waiting = Task { try await self.claim(old) }
        try await until { !reasons.isEmpty }
        #expect(reasons[0].contains("another copy of the ledger") && reasons[0].contains(old.path))
        // An operator may adopt the old copy all the same; then the restored copy is the old one.
        try await adopt(old.path)
        #expect(try await waiting.value.ledger?.term == 2)
        let view = try await bus.controlView()
        #expect(try await restored.identity().verdict(on: view.ledger).term == nil)
        for ledger in [ledger, restored, old] { try ledger.close() }
    }

    @Test func `a ledger is read beside the notifier that has it open, and nothing else is taken for one`() async throws
    {
        let ledger = try Ledger.open(path: scratch.file())
        let (known, other) = (Sample.job(), JobID())
        _ = try await ledger.record([.job(known, maybeRepeated: false)], view: ControlView(), routes: [], now: Date())
        let reader = try LedgerReader(path: ledger.path)
        #expect(try await reader.identity() == ledger.identity())
        #expect(try await reader.jobCount() == 1)
        #expect(try await reader.unknown(among: [known.id, other]) == [other])
        try ledger.close()
        #expect(throws: UploadError.self) { _ = try LedgerReader(path: scratch.file("none.sqlite")) }
        try Data("text".utf8).write(to: URL(filePath: scratch.file("text")))
        #expect(throws: UploadError.self) { _ = try LedgerReader(path: scratch.file("text")) }
    }
}
