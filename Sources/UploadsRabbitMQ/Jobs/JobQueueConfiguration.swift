public import Uploads

/// The transfer queues and the first prefetch of a worker.
public struct JobQueueConfiguration: Hashable, Sendable {
    /// The transfer queues to serve.
    public var queues: [QueueName]
    /// How many deliveries of each lane may be unsettled at once, 1 or more: the deliveries on hand, not only the
    /// running ones. Each lane has its own prefetch, so none starves.
    public var prefetchPerLane: UInt16
    /// The name by which operators drain and resume the worker; nil: they cannot.
    public var worker: String?

    public init(queues: [QueueName] = [.standard], prefetchPerLane: UInt16 = 4, worker: String? = nil) {
        self.queues = queues
        self.prefetchPerLane = max(1, prefetchPerLane)
        self.worker = worker
    }

    /// The prefetch of each lane for so many jobs at once. A running slice holds its delivery, so one lane alone must be able to fill the
    /// worker; a few more deliveries are ready, besides those that wait for their destination's limit.
    public static func prefetch(jobsAtOnce count: Int) -> UInt16 {
        let count = min(max(1, count), 1400)
        return UInt16(count + max(min(8, max(4, count)), count / 2))
    }
}
