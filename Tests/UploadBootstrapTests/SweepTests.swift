import Foundation
import Logging
import ServiceLifecycle
import Testing
import UploadDestinations
import UploadNotifier
import UploadTesting
import Uploads

/// The sweep with a real ledger and a real directory.
@Suite(.timeLimit(.minutes(10)))
struct SweepTests {
    private let scratch: TemporaryDirectory
    private let destination: DirectoryDestination
    private let name = DestinationName(unchecked: "archive")
    private let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    init() throws {
        scratch = try TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: scratch.path("root"), withIntermediateDirectories: true)
        destination = DirectoryDestination(DirectoryConfiguration(path: scratch.path("root")))
    }

    /// Begins an upload and makes it look abandoned for two days.
    /// - Returns: the message that reports the job with an event of this kind; none for nil.
    private func abandon(_ key: String, told kind: EventKind?) async throws -> [NotifierMessage] {
        let now = Date()
        let job = UploadJob(
            source: .inline(Data("hello".utf8)), destination: .named(name, key: key), size: 5, enqueuedAt: now)
        let session = try await destination.open(job, resuming: nil)
        let part = try #require(session.state.flatMap { destination.sessionID(of: $0) })
        await session.close()
        for file in [part, part + "s"] {
            try FileManager.default.setAttributes(
                [.modificationDate: now - 2 * 86_400], ofItemAtPath: scratch.path("root/" + file))
        }
        guard let kind else { return [] }
        var baton = Baton(job: job)
        baton.slice = 1
        baton.state = session.state
        return [.event(UploadEvent(kind: kind, of: baton, at: now))]
    }

    /// Runs a notifier that sweeps without pauses.
    private func running(
        _ bus: any NotifierBus, _ ledger: Ledger, sweeping: Bool = true, while body: () async throws -> Void
    ) async throws {
        let (name, destination) = (name, destination)
        let nowhere = DirectoryDestination(DirectoryConfiguration(path: scratch.path("nowhere")))
        let service = NotifierService(
            bus: bus, ledger: ledger, delegates: [],
            configuration: NotifierConfiguration(
                sweepInterval: sweeping ? .milliseconds(20) : .seconds(86_400),
                sweepPatience: .milliseconds(bus is MemoryNotifierBus ? 60_000 : 10)),
            sweeper: Sweeper(ledger: ledger, logger: quiet) {
                [SweepTarget(DestinationName(unchecked: "nowhere"), nowhere), SweepTarget(name, destination)]
            }, logger: quiet)
        let group = ServiceGroup(services: [service], logger: quiet)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            do { try await body() } catch {
                await group.triggerGracefulShutdown()
                throw error
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }

    /// The keys of the uploads that are left.
    private func left() -> Set<String>? {
        (try? scratch.names(in: "root"))
            .map { Set($0.filter { $0.hasSuffix(".part") }.map { String($0.dropFirst().prefix { $0 != "." }) }) }
    }

    @Test func `what ended jobs left is removed, what live, failed and unknown ones have is kept`() async throws {
        let ledger = try Ledger.open(path: scratch.path("ledger.sqlite"))
        let bus = MemoryNotifierBus()
        var messages: [NotifierMessage] = []
        for kind in [EventKind.completed, .cancelled, .failed, .handedOver, .waiting, .paused] {
            messages += try await abandon(kind.rawValue, told: kind)
        }
        _ = try await abandon("unknown", told: nil)
        // The other destination cannot be listed; this one is swept all the same.
        for message in messages { bus.send(message) }
        try await running(bus, ledger) {
            try await eventually { left()?.isDisjoint(with: ["completed", "cancelled"]) == true }
            // Waits until another whole sweep has begun and ended.
            @Sendable func askedCount() -> Int { bus.answers["recorded"]?.count ?? 0 }
            let count = askedCount()
            try await eventually { askedCount() >= count + 2 }
        }
        #expect(left() == ["failed", "handedOver", "waiting", "paused", "unknown"])
        try ledger.close()
    }

    /// Sends an order and returns its answer.
    private func order(_ command: UploadOrder.Command, _ bus: MemoryNotifierBus) async throws -> OrderAnswer {
        let order = UploadOrder(command, by: "jo@here")
        bus.send(.order(order, replyTo: "jo"))
        try await eventually { bus.answers["jo"]?.contains { $0.order == order.id } == true }
        return try #require(bus.answers["jo"]?.first { $0.order == order.id })
    }

    @Test func `an order removes what a dry run finds, and nothing else`() async throws {
        let ledger = try Ledger.open(path: scratch.path("ledger.sqlite"))
        let bus = MemoryNotifierBus()
        var messages: [NotifierMessage] = []
        for kind in [EventKind.completed, .failed, .waiting] {
            messages += try await abandon(kind.rawValue, told: kind)
        }
        for message in messages { bus.send(message) }
        try await running(bus, ledger, sweeping: false) {
            let looked = try await order(.sweepDestination(name, olderThan: nil, dryRun: true), bus)
            #expect(looked.sweep?.items.map(\.name) == ["completed"])
            #expect(looked.sweep?.dryRun == true && looked.matched == 1 && looked.done == 0)
            #expect(looked.sweep?.listed == 3 && looked.sweep?.bytes ?? 0 > 0)
            #expect(left() == ["completed", "failed", "waiting"])
            let older = try await order(.sweepDestination(name, olderThan: 3 * 86_400, dryRun: false), bus)
            #expect(older.sweep?.listed == 0 && older.done == 0)
            let swept = try await order(.sweepDestination(name, olderThan: 3600, dryRun: false), bus)
            #expect(swept.done == 1 && swept.sweep?.items.first?.removed == true)
            #expect(left() == ["failed", "waiting"])
            let unknown = try await order(
                .sweepDestination(DestinationName(unchecked: "other"), olderThan: nil, dryRun: false), bus)
            #expect(unknown.problem == .notSwept && unknown.reason?.contains("'other'") == true)
            let staging = try await order(.sweepStaging(dryRun: false), bus)
            #expect(staging.problem == .notSwept)
        }
        try ledger.close()
    }

    @Test func `an order finds nothing needless while the ledger is behind`() async throws {
        let ledger = try Ledger.open(path: scratch.path("ledger.sqlite"))
        let messages = try await abandon("completed", told: .completed)
        _ = try await ledger.record(messages, view: ControlView(), routes: [], now: Date())
        let (name, destination) = (name, destination)
        let sweeper = Sweeper(ledger: ledger, logger: quiet) { [SweepTarget(name, destination)] }
        let error = await #expect(throws: UploadError.self) {
            try await sweeper.sweep(name, olderThan: nil, dryRun: false, now: Date()) { false }
        }
        #expect(error?.code == .interrupted)
        #expect(left() == ["completed"])
        try ledger.close()
    }

    @Test func `a stand-by, which is given no messages, sweeps nothing`() async throws {
        let ledger = try Ledger.open(path: scratch.path("ledger.sqlite"))
        let messages = try await abandon("completed", told: .completed)
        _ = try await ledger.record(messages, view: ControlView(), routes: [], now: Date())
        let bus = StandByBus()
        try await running(bus, ledger) { try await eventually { bus.inner.publications.count >= 3 } }
        #expect(left() == ["completed"])
        try ledger.close()
    }
}

/// The bus of a notifier that does not get the queue's messages: its publications reach the other notifier.
private final class StandByBus: NotifierBus {
    let inner = MemoryNotifierBus()
    private let drained = Door()

    func untilRecorded(within limit: Duration) async -> Bool {
        _ = try? await inner.mark(IssueMarker(job: JobID(), round: 1, generation: 1))
        return false
    }

    func consume(
        _ shards: Set<Int>, until change: @escaping @Sendable () async -> Void,
        _ handle: @Sendable ([NotifierMessage]) async throws -> BatchEnd
    ) async throws(UploadError) {
        await drained.wait()
    }

    var shards: Shards { inner.shards }

    var isConnected: Bool { inner.isConnected }

    func drain() async { drained.open() }
    func spread(_ order: UploadOrder, replyTo: String?) async throws(UploadError) {
        try await inner.spread(order, replyTo: replyTo)
    }
    func mark(_ marker: IssueMarker) async throws(UploadError) { try await inner.mark(marker) }
    func issue(_ baton: Baton, on lane: Lane, maybeRepeated: Bool) async throws(UploadError) -> IssueAnswer {
        try await inner.issue(baton, on: lane, maybeRepeated: maybeRepeated)
    }
    func depths(of queues: [QueueName]) async throws(UploadError) -> [QueueName: [Lane: LaneDepth]] {
        try await inner.depths(of: queues)
    }
    func append(_ entry: ControlEntry) async throws(UploadError) { try await inner.append(entry) }
    func appendSnapshot() async throws(UploadError) { try await inner.appendSnapshot() }
    func controlView() async throws(UploadError) -> ControlView { try await inner.controlView() }
    func controlView(withLedgerOtherThan claim: LedgerClaim?) async throws(UploadError) -> ControlView {
        try await inner.controlView(withLedgerOtherThan: claim)
    }
    func tell(_ outcome: UploadEvent) async throws(UploadError) { try await inner.tell(outcome) }
    func copy(of message: NotifierMessage) -> MessageCopy { inner.copy(of: message) }
    func answer(_ answer: OrderAnswer, to address: String) async {}
}
