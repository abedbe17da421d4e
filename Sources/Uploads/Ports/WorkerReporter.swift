/// Publishes a worker's reports on its destinations and on itself.
public protocol WorkerReporter: Sendable {
    /// Returns at once. A report that cannot be published now is lost, and nothing depends on it.
    func tell(_ report: DestinationReport)

    /// Returns at once. A report that cannot be published now is lost, and nothing depends on it.
    func tell(_ report: WorkerReport)
}
