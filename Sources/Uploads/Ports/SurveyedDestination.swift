/// A destination of which it can be measured what its server does, and what these credentials may do there.
public protocol SurveyedDestination: Destination {
    /// Writes a small object and one of two parts below a prefix of its own, tries with them what the driver may ever ask for, and removes
    /// them again, also where it is cancelled.
    /// - Parameters:
    ///   - prefix: what the keys of its objects begin with, as jobs name them.
    ///   - tell: told of each finding as it is made.
    /// - Returns: what the destination's configuration had better say.
    func survey(
        _ name: DestinationName, below prefix: String, tell: @escaping @Sendable (SurveyFinding) -> Void
    ) async -> [SurveyAdvice]
}
