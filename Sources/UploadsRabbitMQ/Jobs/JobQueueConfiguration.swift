public import Uploads

/// What a worker takes.
public struct JobQueueConfiguration: Hashable, Sendable {
    /// The transfer queues to serve.
    public var queues: [QueueName]
    /// Deliveries of each lane that may be unsettled at once, 1 or more: what is on hand, not what runs. Each lane has its
    /// own, so none starves.
    public var prefetchPerLane: UInt16

    public init(queues: [QueueName] = [.standard], prefetchPerLane: UInt16 = 4) {
        self.queues = queues
        self.prefetchPerLane = max(1, prefetchPerLane)
    }
}
