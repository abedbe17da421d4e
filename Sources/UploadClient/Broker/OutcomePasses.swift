import Uploads

/// Passes over the durable queue, one after the other.
actor OutcomePasses {
    private var last: Task<Void, Never>?
    private var isClosed = false

    /// Begins when those before it are through, and is not cut off by whoever asked.
    /// - Throws: what the pass throws; `interrupted` after ``close()``.
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

    /// Lets nobody begin, and returns when the last is through.
    func close() async {
        isClosed = true
        await last?.value
    }
}
