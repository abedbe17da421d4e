package import Uploads

/// How long a publication may take: a broker that is blocked, or a connection that is half dead, must not hold up a command
/// for ever.
package enum ConfirmLimit {
    package static let duration = Duration.seconds(15)

    /// Runs the body, and cancels it when the time is up.
    /// - Throws: what the body throws; `networkFailure` when the time is up: whether it arrived nobody knows.
    package static func within(
        _ limit: Duration = duration, _ body: @escaping @Sendable () async throws(UploadError) -> Void
    ) async throws(UploadError) {
        let result: Result<Void, UploadError>? = await withTaskGroup(of: Result<Void, UploadError>?.self) { group in
            group.addTask {
                do throws(UploadError) {
                    try await body()
                    return .success(())
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                try? await Task.sleep(for: limit)
                return nil
            }
            let first = await group.next() ?? nil
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
