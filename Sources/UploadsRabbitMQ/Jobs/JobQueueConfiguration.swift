public import Uploads

/// The transfer queues and the prefetch of a worker.
public struct JobQueueConfiguration: Hashable, Sendable {
    /// The transfer queues to serve.
    public var queues: [QueueName]
    /// How many deliveries of each lane may be unsettled at once, 1 or more: the deliveries on hand, not only the
    /// running ones. Each lane has its own prefetch, so none starves.
    public var prefetchPerLane: UInt16

    public init(queues: [QueueName] = [.standard], prefetchPerLane: UInt16 = 4) {
        self.queues = queues
        self.prefetchPerLane = max(1, prefetchPerLane)
    }
}
