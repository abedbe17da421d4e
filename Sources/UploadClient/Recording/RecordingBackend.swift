import Foundation
import Synchronization
import UploadSources
import Uploads

/// Carries nothing: keeps the accepted jobs and passes on the events that a test reports.
final class RecordingBackend: UploadBackend {
    private struct State: Sendable {
        var jobs: [JobID: UploadJob] = [:]
        var orders: [(verb: Verb, id: JobID)] = []
        var sink: (@Sendable (UploadEvent) async -> Bool)?
    }

    private let area: StagingArea
    private let store: ClientStore
    private let state = Mutex(State())
    private let closed: AsyncStream<Never>
    private let closing: AsyncStream<Never>.Continuation

    init(_ identifier: UploadIdentifier, area: StagingArea) async throws(UploadError) {
        self.area = area
        store = try await ClientStore.open(identifier, in: area)
        (closed, closing) = AsyncStream.makeStream()
    }

    var namespace: String { "recording" }
    var jobs: [UploadJob] { state.withLock { $0.jobs.values.sorted { $0.id < $1.id } } }
    var orders: [(verb: Verb, id: JobID)] { state.withLock { $0.orders } }

    func run(_ sink: @escaping @Sendable (UploadEvent) async -> Bool) async {
        state.withLock { $0.sink = sink }
        for await _ in closed {}
        state.withLock { $0.sink = nil }
    }

    /// Waits until events can be reported: earlier ones would be lost.
    func waitUntilRunning() async {
        while state.withLock({ $0.sink == nil }) { await Task.yield() }
    }

    func accept(_ job: UploadJob) async throws(UploadError) { state.withLock { $0.jobs[job.id] = job } }

    /// A job that is not here was accepted by no living manager: a manager for tests forgets its jobs with its program.
    func holds(_ id: JobID) async throws(UploadError) -> Bool? { state.withLock { $0.jobs[id] != nil } }

    func acceptAgain(_ job: UploadJob) async throws(UploadError) { try await accept(job) }

    func order(_ verb: Verb, _ id: JobID) async throws(UploadError) {
        let baton = try await baton(of: id)
        state.withLock { $0.orders.append((verb, id)) }
        switch verb {
        case .cancel: try await end(id, with: .cancelled)
        case .pause: await tell(UploadEvent(kind: .paused, of: baton, at: Date()))
        case .resume, .runNow: await tell(UploadEvent(kind: .enqueued, of: baton, at: Date()))
        case .forget: break
        case .runAgain, .discard: throw UploadError(.rejected, "an ended upload is run again by resume(with:)")
        }
    }

    func resume(_ upload: ResumableUpload) async throws(UploadError) -> Int {
        if let open = try await store.upload(upload.id) { return open.round }
        guard let ended = try await store.outcome(of: upload.id), ended.end?.kind != .completed else {
            throw UploadError(
                .rejected, "the upload \(upload.id) completed, or is no longer known: start it anew")
        }
        return ended.round + 1
    }

    func catchUp() async throws(UploadError) {}

    func close() async { closing.finish() }

    func content(of id: JobID) async throws(UploadError) -> Data {
        guard let job = state.withLock({ $0.jobs[id] }),
            case .claimed(let source) = try await LocalSources(areas: [area], roots: []).claim(job)
        else { throw UploadError(.invalidFile, "the bytes of the upload \(id) are gone") }
        let result: Result<Data, any Error>
        do {
            var data = Data()
            for try await buffer in source.read(0..<source.size) {
                buffer.withUnsafeBytes { data.append(contentsOf: $0) }
            }
            result = .success(data)
        } catch {
            result = .failure(error)
        }
        await source.close()
        do { return try result.get() } catch {
            throw error as? UploadError ?? UploadError(.invalidFile, "the bytes of \(id) cannot be read", cause: error)
        }
    }

    func report(_ id: JobID, bytesDone: Int64) async throws(UploadError) {
        var event = UploadEvent(kind: .progress, of: try await baton(of: id), at: Date())
        event.data.bytesDone = bytesDone
        await tell(event)
    }

    func end(_ id: JobID, with outcome: Outcome) async throws(UploadError) {
        var baton = try await baton(of: id)
        switch outcome {
        case .completed(let object, _): baton.job = baton.job.examined(as: object)
        case .failed(_, let state): baton.state = state
        case .cancelled: break
        }
        await tell(UploadEvent(outcome: outcome, of: baton, at: Date()))
        if case .failed = outcome { return }
        try? await area.remove(state.withLock { $0.jobs[id] ?? baton.job }.source)
    }

    func baton(of id: JobID) async throws(UploadError) -> Baton {
        guard let upload = try await store.upload(id) else {
            throw UploadError(.rejected, "no unfinished upload \(id) is known")
        }
        return Baton(job: upload.job, round: upload.round)
    }

    private func tell(_ event: UploadEvent) async { _ = await state.withLock { $0.sink }?(event) }
}
