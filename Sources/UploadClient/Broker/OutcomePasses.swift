import Uploads

/// Passes over the durable queue, one after the other.
actor OutcomePasses {
    private var last: Task<Void, Never>?
    private var isClosed = false

    /// Begins when all earlier passes have ended; the cancellation of the caller does not interrupt it.
    /// - Throws: the errors of the pass; `interrupted` after ``close()``.
    func pass<Value: Sendable>(
        _ body: @escaping @Sendable () async throws(UploadError) -> Value
    ) async throws(UploadError) -> Value {
        guard !isClosed else { throw UploadError(.interrupted, "the upload manager is closed") }
        let earlier = last
        let task = Task { () -> Result<Value, UploadError> in
            await earlier?.value
            do throws(UploadError) { return .success(try await body()) } catch { return .failure(error) }
        }
        last = Task { _ = await task.value }
        return try await task.value.get()
    }

    /// Lets no pass begin any more, and returns when the last one has ended.
    func close() async {
        isClosed = true
        await last?.value
    }
}
