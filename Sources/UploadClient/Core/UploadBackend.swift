package import Uploads

/// What carries a manager's uploads: the broker, the own process, or a test's word. All else is the same for every manager.
package protocol UploadBackend: Sendable {
    /// A part of the ids of uploads with an idempotency key.
    var namespace: String { get }

    /// Hands whatever becomes known of the identifier's uploads to the sink, until the task is cancelled. An end is durably noted when
    /// the sink returns true, and has to be handed over again otherwise. One upload's events come in order.
    func run(_ sink: @escaping @Sendable (UploadEvent) async -> Bool) async

    /// Accepts a job whose bytes are staged; durable when it returns.
    /// - Throws: `networkFailure` when the job may have been taken all the same, so that its staged copy has to stay.
    func accept(_ job: UploadJob) async throws(UploadError)

    /// Whether this job was accepted, asked for a program that died before it could note that; nil where nothing knows.
    func holds(_ id: JobID) async throws(UploadError) -> Bool?

    /// Accepts a job that a program which died may have handed over already: it is uploaded once all the same. Waits for no network.
    func acceptAgain(_ job: UploadJob) async throws(UploadError)

    /// - Throws: `rejected` when it is refused, with the reason.
    func order(_ verb: Verb, _ id: JobID) async throws(UploadError)

    /// Goes on with an upload: an ended one in a new round, one that is under way as it is.
    /// - Returns: the round whose outcome is to be awaited.
    /// - Throws: `rejected` when it is not known any more, or it completed.
    func resume(_ upload: ResumableUpload) async throws(UploadError) -> Int

    /// Returns when every outcome that was told before this call has gone through the sink.
    func catchUp() async throws(UploadError)

    /// An element whenever something may have been missed of what happens, so that it is worth asking how uploads stand. For one
    /// listener.
    var gaps: AsyncStream<Void> { get }

    /// Asks how uploads stand.
    /// - Returns: those of which anything is known; nil when nothing answers.
    func reports(of ids: [JobID]) async throws(UploadError) -> [JobID: JobReport]?

    /// Lets go of everything. `run` was cancelled before.
    func close() async
}

/// A backend whose sink misses nothing has nothing to be asked.
extension UploadBackend {
    package var gaps: AsyncStream<Void> { AsyncStream { $0.finish() } }

    package func reports(of ids: [JobID]) async throws(UploadError) -> [JobID: JobReport]? { nil }
}
