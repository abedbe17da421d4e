/// A delegate that takes many events at the cost of one: a file that is flushed once.
public protocol BatchDelegate: CompletionDelegate {
    /// Delivers events in order, all or none as far as the caller is concerned: after an error all are repeated.
    func deliver(_ events: [UploadEvent]) async throws(UploadError)
}
