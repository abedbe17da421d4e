/// Where a worker tells how it finds its destinations.
public protocol DestinationReporter: Sendable {
    /// Returns at once. What cannot be told just now is lost, and nothing depends on it.
    func tell(_ report: DestinationReport)
}
