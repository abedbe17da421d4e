/// Runs `body`, and waits for its end for at most `limit`, so that the failure names the step that hangs instead of the whole run.
///
/// At the limit, a running body is cancelled and not awaited, because a hanging body may ignore the cancellation.
/// - Throws: the body's errors; `DidNotHappen` with `what` and `state` at the limit.
public func limited<Value: Sendable>(
    _ what: String, within limit: Duration = .seconds(300), showing state: @Sendable () async -> String = { "" },
    _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    let (ends, end) = AsyncStream<Result<Value, any Error>?>.makeStream()
    let working = Task {
        do { end.yield(.success(try await body())) } catch { end.yield(.failure(error)) }
        end.finish()
    }
    let timing = Task {
        try await Task.sleep(for: limit)
        end.yield(nil)
        end.finish()
    }
    defer { timing.cancel() }
    for await result in ends {
        if let result { return try result.get() }
        let known = await state()
        working.cancel()
        throw DidNotHappen("not within \(limit): \(what)\(known.isEmpty ? "" : "; \(known)")")
    }
    working.cancel()
    throw CancellationError()
}
