import Uploads

/// How long the broker may take: one that is blocked, or a connection that is half dead, must not hold up anybody for ever.
enum ConfirmLimit {
    /// Runs the body, and cancels it when the time is up.
    /// - Throws: what the body throws; `networkFailure` when the time is up: whether it arrived nobody knows.
    static func within<Value: Sendable>(
        _ limit: Duration, _ body: @escaping @Sendable () async throws(UploadError) -> Value
    ) async throws(UploadError) -> Value {
        let result = await withTaskGroup(of: Result<Value, UploadError>?.self) { group in
            group.addTask {
                do throws(UploadError) {
                    return .success(try await body())
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                try? await Task.sleep(for: limit)
                return nil
            }
            let first: Result<Value, UploadError>? = await group.next() ?? nil
            group.cancelAll()
            return first
        }
        if let result { return try result.get() }
        if Task.isCancelled { throw UploadError(.interrupted, "publishing was interrupted") }
        throw UploadError(
            .networkFailure,
            """
            the broker did not confirm within \(limit.components.seconds) s; look for memory and disk alarms, and for full \
            queues there
            """)
    }
}
