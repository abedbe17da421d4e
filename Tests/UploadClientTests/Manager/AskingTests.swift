import Foundation
import Logging
import Synchronization
import Testing
import UploadSources
import UploadTesting
import Uploads

@testable import UploadClient

/// When a manager asks for the state of its uploads, and for which.
@Suite("Asking how uploads stand", .timeLimit(.minutes(10))) struct AskingTests {
    private func with(
        _ uploads: Int = 0, _ test: (ManagerCore, AskedBackend, [UploadJob]) async throws -> Void
    ) async throws {
        let scratch = try TemporaryDirectory("asking")
        let area = try await StagingArea.open(at: scratch.path("staging"))
        let identifier = try UploadIdentifier("app")
        let store = try await ClientStore.open(identifier, in: area)
        let jobs = (0..<uploads).map { index in
            UploadJob(
                source: .inline(Data()),
                destination: .named(DestinationName(unchecked: "archive"), key: "\(index)"), size: 100)
        }
        for job in jobs { try await store.put(ClientUpload(job: job, startedBy: "")) }
        let backend = AskedBackend()
        let core = try await ManagerCore(
            identifier: identifier, area: area, backend: backend, logger: Logger(label: "test"))
        await core.begin()
        do {
            try await test(core, backend, jobs)
        } catch {
            await core.close()
            throw error
        }
        await core.close()
    }

    @Test func `what is taken up is asked for once, and everything once more after a gap`() async throws {
        try await with(3) { core, backend, jobs in
            let handles = try await core.restore(core.save())
            try await eventually("the first answer has come") { handles.allSatisfy { $0.latest.bytesDone == 10 } }
            #expect(backend.asked.map(Set.init) == [Set(jobs.map(\.id))])
            // A known state is not asked for.
            _ = try await core.handle(for: jobs[0].id)
            // An upload that this program starts cannot have missed an event yet.
            let started = try await core.start(try Upload(.data(Data([1])), to: "archive:new"))
            let other = handles[1].id
            backend.answer { $0 == other ? .paused : .running }
            backend.miss()
            try await eventually("the second answer has come") {
                if case .paused = handles[1].latest.status { true } else { false }
            }
            #expect(backend.asked.dropFirst().map(Set.init) == [Set(jobs.map(\.id) + [started.id])])
            #expect(handles[1].latest.bytesDone == 10)
        }
    }

    @Test func `without an answer nothing more is asked, until the next gap`() async throws {
        try await with(251) { core, backend, jobs in
            backend.answer { _ in nil }
            let handles = try await core.restore(core.save())
            try await eventually("it gives up") { await core.asking == nil }
            #expect(backend.asked.map(\.count) == [250], "no notifier, and no second question")
            #expect(handles.allSatisfy { $0.latest.bytesDone == 0 })
            backend.answer { _ in .running }
            backend.miss()
            try await eventually("all is known") { handles.allSatisfy { $0.latest.bytesDone == 10 } }
            #expect(backend.asked.map(\.count) == [250, 250, 1])
            #expect(Set(backend.asked.dropFirst().flatMap(\.self)) == Set(jobs.map(\.id)))
        }
    }

    @Test func `a gap while an answer is awaited asks anew and takes no harm of the late answer`() async throws {
        try await with(1) { core, backend, jobs in
            let door = Door()
            backend.answer(behind: door) { _ in .paused }
            let handle = try #require(try await core.handle(for: jobs[0].id))
            try await eventually("it is asked") { backend.asked.count == 1 }
            backend.answer { _ in .running }
            backend.miss()
            try await eventually("the second answer has come") { handle.latest.bytesDone == 10 }
            door.open()
            try await eventually("both are over") { backend.answered == 2 }
            guard case .running = handle.latest.status else {
                Issue.record("\(handle.latest.status)")
                return
            }
        }
    }
}

/// Answers as the test says; each answer is about a later slice than the earlier answers.
private final class AskedBackend: UploadBackend {
    private struct State {
        var asked: [[JobID]] = []
        var answered = 0
        var status: @Sendable (JobID) -> LedgerStatus? = { _ in .running }
        var door: Door?
    }

    let namespace = "upload"
    let gaps: AsyncStream<Void>
    private let gap: AsyncStream<Void>.Continuation
    private let state = Mutex(State())

    init() { (gaps, gap) = AsyncStream.makeStream() }

    var asked: [[JobID]] { state.withLock { $0.asked } }
    var answered: Int { state.withLock { $0.answered } }

    func miss() { gap.yield() }

    /// - Parameter status: the state of an upload; nil: no answer for it.
    func answer(behind door: Door? = nil, _ status: @escaping @Sendable (JobID) -> LedgerStatus?) {
        state.withLock { state in
            state.door = door
            state.status = status
        }
    }

    func reports(of ids: [JobID]) async throws(UploadError) -> [JobID: JobReport]? {
        let (number, status, door) = state.withLock { state in
            state.asked.append(ids)
            return (state.asked.count, state.status, state.door)
        }
        // Like an answer that is on its way: it comes even if the caller has given up.
        if let door { await Task { await door.wait() }.value }
        defer { state.withLock { $0.answered += 1 } }
        var reports: [JobID: JobReport] = [:]
        for id in ids {
            guard let status = status(id) else { return nil }
            let job = UploadJob(
                id: id, source: .inline(Data()), destination: .named(DestinationName(unchecked: "archive"), key: "a"),
                size: 100)
            var known = LedgerJob(Baton(job: job), isWhole: true, at: Date())
            known.baton.slice = number
            known.status = status
            known.isSliceStarted = status == .running
            reports[id] = JobReport(known)
            if status == .running { reports[id]?.note(bytesDone: 10, bytesPerSecond: 1, at: Date()) }
        }
        return reports
    }

    func run(_ sink: @escaping @Sendable (UploadEvent) async -> Bool) async {}
    func accept(_ job: UploadJob) async throws(UploadError) {}
    func holds(_ id: JobID) async throws(UploadError) -> Bool? { nil }
    func acceptAgain(_ job: UploadJob) async throws(UploadError) {}
    func order(_ verb: Verb, _ id: JobID) async throws(UploadError) {}
    func resume(_ upload: ResumableUpload) async throws(UploadError) -> Int { upload.round }
    func catchUp() async throws(UploadError) {}
    func close() async { gap.finish() }
}
