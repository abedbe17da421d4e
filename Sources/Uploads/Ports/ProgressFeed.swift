/// What workers tell of uploads under way and of destinations: transient, and no loss where it does not arrive.
public protocol ProgressFeed: Sendable {
    /// Hands over what is told from now on, at a pace that the feed bounds, of each job and each worker's destination the latest,
    /// until the task is cancelled. Survives the loss of the connection; what was told meanwhile is not made up for.
    func follow(_ take: @escaping @Sendable (WorkerNews) -> Void) async
}
