import Foundation
import LinuxFiles
import Logging
import Synchronization
import Testing
import UploadClient
import UploadSources
import UploadTesting
import Uploads

@testable import UploadEmbedded

@Suite("A local queue", .timeLimit(.minutes(10))) struct LocalJobQueueTests {
    /// Settles as the test says; nothing is uploaded.
    private final class Handler: JobHandler {
        let removed = Mutex<[JobID]>([])
        let taken = Mutex<[Baton]>([])
        let settle: @Sendable (any ClaimedBaton) async -> Settlement

        init(_ settle: @escaping @Sendable (any ClaimedBaton) async -> Settlement) { self.settle = settle }

        func handle(_ claimed: any ClaimedBaton) async -> SettledSlice {
            taken.withLock { $0.append(claimed.baton) }
            return SettledSlice(await settle(claimed))
        }

        func removeStagedCopy(of job: UploadJob) async { removed.withLock { $0.append(job.id) } }
    }

    private final class Ledger: Sendable {
        let told = Mutex<[UploadEvent]>([])
        let noted = Mutex<[UploadEvent]>([])
        let refuses = Mutex(false)

        var listener: LocalJobQueue.Listener {
            LocalJobQueue.Listener(
                tell: { event in self.told.withLock { $0.append(event) } },
                note: { event in
                    if self.refuses.withLock({ $0 }) { return false }
                    self.noted.withLock { $0.append(event) }
                    return true
                })
        }
    }

    private static let completed = Settlement.ended(.completed(StoredObject(location: "there"), response: nil))
    private let scratch: TemporaryDirectory
    private let files: LocalQueueFiles
    private let ledger = Ledger()

    init() async throws {
        scratch = try TemporaryDirectory("queue")
        let area = try await StagingArea.open(at: scratch.path("state"))
        files = try await LocalQueueFiles.open(UploadIdentifier("app"), in: area)
    }

    private func job(_ text: String = "text", lane: Lane = .normal) throws -> UploadJob {
        UploadJob(
            priority: lane, source: .inline(Data(text.utf8)), destination: try DestinationReference("disk:\(text)"),
            size: Int64(text.utf8.count))
    }

    private func queue(_ configuration: EmbeddedConfiguration = EmbeddedConfiguration()) -> LocalJobQueue {
        LocalJobQueue(
            files, configuration: configuration, listener: ledger.listener, logger: Logger(label: "test"))
    }

    /// Runs a queue until the body returns.
    private func with(
        _ queue: LocalJobQueue, _ handler: Handler, _ body: () async throws -> Void
    ) async throws {
        let lock = try #require(try files.tryLock())
        let running = Task { try await queue.consume(handler) }
        let result: Result<Void, any Error>
        do {
            try await body()
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await queue.drain()
        try await running.value
        lock.unlock()
        try result.get()
    }

    private var noted: [UploadEvent] { ledger.noted.withLock { $0 } }

    @Test func `one process at a time runs it`() throws {
        let lock = try #require(try files.tryLock())
        #expect(try files.tryLock() == nil)
        lock.unlock()
        #expect(try files.tryLock() != nil)
    }

    @Test func `what is accepted is given out and removed when its end is noted`() async throws {
        let job = try job()
        #expect(try files.create(LocalJob(job)))
        #expect(try !files.create(LocalJob(job)))
        let handler = Handler { _ in Self.completed }
        try await with(queue(), handler) {
            try await eventually("it is gone") { try files.ids().isEmpty }
        }
        #expect(noted.map(\.id) == ["\(job.id).1.ended"])
        #expect(handler.removed.withLock { $0 } == [job.id])
    }

    @Test func `an end that could not be noted comes again, under the same id, and removes nothing before`()
        async throws
    {
        let job = try job()
        _ = try files.create(LocalJob(job))
        ledger.refuses.withLock { $0 = true }
        let handler = Handler { _ in Self.completed }
        try await with(queue(), handler) {
            try await eventually("it has ended") { try files.job(job.id)?.end != nil }
        }
        #expect(noted.isEmpty && handler.removed.withLock { $0.isEmpty })
        #expect(try files.ids() == [job.id])
        ledger.refuses.withLock { $0 = false }
        try await with(queue(), handler) {
            try await eventually("it is gone") { try files.ids().isEmpty }
        }
        #expect(noted.map(\.id) == ["\(job.id).1.ended"])
        #expect(handler.taken.withLock { $0.count } == 1)
        #expect(handler.removed.withLock { $0 } == [job.id])
    }

    @Test func `what was claimed when its process died is given out in a new generation`() async throws {
        var job = LocalJob(try job())
        job.claim()
        _ = try files.create(job)
        let handler = Handler { claimed in
            try? await claimed.started(state: nil)
            return Self.completed
        }
        try await with(queue(), handler) {
            try await eventually("it is gone") { try files.ids().isEmpty }
        }
        #expect(handler.taken.withLock { $0.map(\.generation) } == [2])
        #expect(ledger.told.withLock { $0.map(\.kind) } == [.started])
    }

    @Test func `a queue that is drained gives back what it has given out`() async throws {
        let job = try job()
        _ = try files.create(LocalJob(job))
        let door = Door()
        let handler = Handler { claimed in
            await door.wait()
            return .handOver(nil)
        }
        let queue = queue()
        try await with(queue, handler) {
            try await eventually("it is claimed") { try files.job(job.id)?.isClaimed == true }
            await queue.drain()
            door.open()
        }
        let held = try #require(try files.job(job.id))
        #expect(!held.isClaimed && held.baton.slice == 1 && held.baton.generation == 1)
    }

    @Test func `lanes are served in their order, and a lane by age`() async throws {
        let names = ["bulk", "first", "second", "urgent"]
        let lanes: [Lane] = [.bulk, .normal, .normal, .urgent]
        for (offset, (name, lane)) in zip(names, lanes).enumerated() {
            var job = try job(name, lane: lane)
            job.enqueuedAt = Date() + Double(offset)
            _ = try files.create(LocalJob(job))
        }
        let handler = Handler { _ in Self.completed }
        try await with(queue(), handler) {
            try await eventually("all are gone") { try files.ids().isEmpty }
        }
        // They are issued in this order; the tasks that carry them may overtake each other.
        #expect(
            Set(handler.taken.withLock { $0.map { $0.job.destination.displayText } }) == Set(names.map { "disk:\($0)" })
        )
    }

    @Test func `an order that another program leaves supersedes a running slice`() async throws {
        let job = try job()
        _ = try files.create(LocalJob(job))
        let handler = Handler { claimed in
            if claimed.baton.isCancel { return .ended(.cancelled) }
            _ = await claimed.validity()
            return await claimed.loss() == .superseded ? .superseded : Self.completed
        }
        try await with(queue(), handler) {
            try await eventually("it is claimed") { try files.job(job.id)?.isClaimed == true }
            try files.add(LocalOrder(verb: .cancel, job: job.id))
            try await eventually("it is gone") { try files.ids().isEmpty }
        }
        #expect(noted.map(\.kind) == [.cancelled])
        #expect(handler.taken.withLock { $0.map(\.isCancel) } == [false, true])
        #expect(try files.orderNames().isEmpty)
    }

    @Test func `a file that the queue cannot read is left where it is, and holds up no other job`() async throws {
        let job = try job()
        _ = try files.create(LocalJob(job))
        let broken = "state/embedded/app/queue/\(JobID()).json"
        try scratch.write("{", to: broken)
        try await with(queue(), Handler { _ in Self.completed }) {
            try await eventually("the other one is done") { noted.count == 1 }
        }
        #expect(scratch.read(broken) == Array("{".utf8))
    }

    @Test func `what has progressed is not held against the job`() async throws {
        var job = LocalJob(try job())
        job.poisonCount = 3
        _ = try files.create(job)
        let door = Door()
        let handler = Handler { claimed in
            try? await claimed.started(state: nil)
            claimed.progress(bytesDone: 10, bytesPerSecond: 1, partBytes: nil)
            claimed.progress(bytesDone: 10 + 64 << 20, bytesPerSecond: 1, partBytes: nil)
            await door.wait()
            return .handOver(nil)
        }
        let queue = queue()
        try await with(queue, handler) {
            try await eventually("progress is noted") { try files.job(job.id)?.hasProgressed == true }
            #expect(try files.job(job.id)?.poisonCount == 0)
            await queue.drain()
            door.open()
        }
    }
}
