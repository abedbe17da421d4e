/// What operators ask of the broker, by way of the HTTP API.
public protocol OperatorDesk: Sendable {
    /// Gives an order as a message, so that it holds also if whoever reads it next is another notifier. The same order
    /// given twice is one.
    /// - Parameter patience: how long to wait for the answer; nil: not at all.
    /// - Returns: the answer; nil when none came in time: the order holds all the same.
    /// - Throws: `networkFailure`, `serverFailure` when the broker does not take it.
    func order(_ order: UploadOrder, patience: Duration?) async throws(UploadError) -> OrderAnswer?

    /// Publishes a dead letter again as it was, where it belongs. Confirmed when this returns.
    /// - Returns: where that is, for people.
    /// - Throws: `rejected`, with what to do, for one that cannot be published again, or that nobody takes;
    ///   `networkFailure`, `serverFailure` when the broker does not confirm it: then it may be there or not.
    func replay(_ letter: UnreadableMessage) async throws(UploadError) -> String

    /// What waits in the lanes of transfer queues now, and who takes from them. A queue that was never declared is left
    /// out.
    func depths(of queues: [QueueName]) async throws(UploadError) -> [QueueName: [Lane: LaneDepth]]

    /// What the control log says, as far as the notifier at work has read and written it.
    func controlView() async throws(UploadError) -> ControlView
}
