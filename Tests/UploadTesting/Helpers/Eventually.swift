/// The error that a test throws when a condition did not become true in time.
public struct DidNotHappen: Error, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}

/// Checks the condition every few milliseconds until it holds. The limit is generous: it is there to end a broken test, not to
/// measure.
public func eventually(
    _ what: String, within limit: Duration = .seconds(300), isolation: isolated (any Actor)? = #isolation,
    _ condition: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + limit
    while try await !condition() {
        guard ContinuousClock.now < end else { throw DidNotHappen("not within \(limit): \(what)") }
        try await Task.sleep(for: .milliseconds(5))
    }
}
/// Checks the condition every millisecond until it holds; the caller's time limit is the bound.
/// - Throws: when the waiting task is cancelled.
public func eventually(_ condition: @Sendable () -> Bool) async throws {
    while !condition() { try await Task.sleep(for: .milliseconds(1)) }
}
