/// Waits until a condition holds, looking every millisecond; the caller's time limit is the bound.
/// - Throws: when the waiting task is cancelled.
public func eventually(_ condition: @Sendable () -> Bool) async throws {
    while !condition() { try await Task.sleep(for: .milliseconds(1)) }
}
