/// Runs `body`, and waits for its end for at most `limit`: a step that hangs is named instead of the whole run.
///
/// A body that is still running then is cancelled and not awaited, since what hangs may not listen.
/// - Throws: what the body throws; `DidNotHappen` with `what` and `state` at the limit.
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
