/// Somebody who is told of outcomes: a webhook, a log file, a queue, a command.
public protocol CompletionDelegate: Sendable {
    /// The name under which it is registered.
    var name: String { get }

    /// Delivers one event; repeats carry the same event id.
    /// - Returns: what it answered, if it is one that answers.
    /// - Throws: an `UploadError` whose `retry` says whether and when to try again, with the answer if there was one.
    @discardableResult
    func deliver(_ event: UploadEvent) async throws(UploadError) -> ServerResponse?
}
