import ServiceLifecycle

/// Runs the body; a graceful shutdown cancels it.
/// - Returns: nil when the shutdown cancelled the body.
func untilGracefulShutdown<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value? {
    let body = Task(operation: body)
    do {
        return try await withTaskCancellationOrGracefulShutdownHandler {
            try await body.value
        } onCancelOrGracefulShutdown: {
            body.cancel()
        }
    } catch  where body.isCancelled {
        return nil
    }
}
