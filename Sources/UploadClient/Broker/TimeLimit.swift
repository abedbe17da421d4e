package import Uploads

/// The time that a broker may take for one request.
package enum TimeLimit {
    /// Runs the body, and cancels it when the time is up.
    /// - Parameter what: the failure in words: `could not be reached`.
    /// - Throws: the errors of the body; `networkFailure` when the time is up: the request may have succeeded.
    package static func within<Value: Sendable>(
        _ limit: Duration, _ what: String = "did not confirm",
        _ body: @escaping @Sendable () async throws(UploadError) -> Value
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
        if Task.isCancelled { throw UploadError(.interrupted, "it was interrupted") }
        throw UploadError(
            .networkFailure,
            """
            the broker \(what) within \(Int((limit / .seconds(1)).rounded(.up))) s; look for memory and disk alarms, and for full queues \
            there
            """)
    }
}
