package import Uploads

/// Carries a manager's uploads: over the broker, in the own process, or as a test says. Everything else is the same for
/// all managers.
package protocol UploadBackend: Sendable {
    /// A part of the ids of uploads with an idempotency key.
    var namespace: String { get }

    /// Passes every event of the identifier's uploads to the sink, until the task is cancelled. An end is durably
    /// recorded when the sink returns true, and has to be passed again otherwise. The events of one upload come in
    /// order.
    func run(_ sink: @escaping @Sendable (UploadEvent) async -> Bool) async

    /// Accepts a job whose bytes are staged; durable when it returns.
    /// - Throws: `networkFailure` when the broker may have taken the job in spite of the error, so that its staged copy
    ///   has to stay.
    func accept(_ job: UploadJob) async throws(UploadError)

    /// Whether this job was accepted, asked after its program died before it could record that; nil where the backend
    /// cannot know.
    func holds(_ id: JobID) async throws(UploadError) -> Bool?

    /// Accepts a job that a dead program may have handed over already; it is still uploaded only once. Waits for no
    /// network.
    func acceptAgain(_ job: UploadJob) async throws(UploadError)

    /// - Throws: `rejected` when the order is refused, with the reason.
    func order(_ verb: Verb, _ id: JobID) async throws(UploadError)

    /// Continues an upload: an ended one in a new round, an unfinished one in its present round.
    /// - Returns: the round whose outcome is to be awaited.
    /// - Throws: `rejected` when the upload is no longer known, or it completed.
    func resume(_ upload: ResumableUpload) async throws(UploadError) -> Int

    /// Returns when every outcome that was reported before this call has gone through the sink.
    func catchUp() async throws(UploadError)

    /// Yields an element whenever events may have been missed, so that the manager asks for the state of uploads. For
    /// one listener.
    var gaps: AsyncStream<Void> { get }

    /// Asks for the state of uploads.
    /// - Returns: the uploads that the notifier knows; nil when no notifier answers.
    func reports(of ids: [JobID]) async throws(UploadError) -> [JobID: JobReport]?

    /// Releases all resources. The task of `run` was cancelled before.
    func close() async
}

/// For backends whose sink misses no event: there is nothing to ask.
extension UploadBackend {
    package var gaps: AsyncStream<Void> { AsyncStream { $0.finish() } }

    package func reports(of ids: [JobID]) async throws(UploadError) -> [JobID: JobReport]? { nil }
}
