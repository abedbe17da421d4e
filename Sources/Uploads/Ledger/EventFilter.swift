/// Which recorded events are shown; what is nil matches any.
public struct EventFilter: Hashable, Sendable {
    public var kinds: Set<EventKind>?
    public var queue: QueueName?
    public var job: JobID?

    public init(kinds: Set<EventKind>? = nil, queue: QueueName? = nil, job: JobID? = nil) {
        self.kinds = kinds
        self.queue = queue
        self.job = job
    }
}
