/// The error that a test throws when a condition did not become true in time.
public struct DidNotHappen: Error, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}

/// Checks the condition until it holds: every few milliseconds, or less often if a check takes long, so that the checks of tests that wait
/// leave the processors to the programs that they wait for. The limit is generous: it is there to end a broken test, not to measure.
public func eventually(
    _ what: String, within limit: Duration = .seconds(300), isolation: isolated (any Actor)? = #isolation,
    _ condition: () async throws -> Bool
) async throws {
    var began = ContinuousClock.now
    let end = began + limit
    while try await !condition() {
        let checked = ContinuousClock.now
        guard checked < end else { throw DidNotHappen("not within \(limit): \(what)") }
        try await Task.sleep(for: min(max(.milliseconds(5), (checked - began) * 4), .milliseconds(250)))
        began = .now
    }
}
/// Checks the condition every millisecond until it holds; the caller's time limit is the bound.
/// - Throws: when the waiting task is cancelled.
public func eventually(_ condition: @Sendable () -> Bool) async throws {
    while !condition() { try await Task.sleep(for: .milliseconds(1)) }
}
