import Foundation

/// The time for a step ran out.
struct TimeLimitExceeded: Error {}

/// Runs a step for at most this many seconds.
/// - Throws: `TimeLimitExceeded`, or the error of the step.
func withTimeLimit<Value: Sendable>(
    _ seconds: TimeInterval, _ step: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
        group.addTask { try await step() }
        group.addTask {
            try await Task.sleep(for: .seconds(seconds))
            throw TimeLimitExceeded()
        }
        defer { group.cancelAll() }
        guard let value = try await group.next() else { throw TimeLimitExceeded() }
        return value
    }
}
