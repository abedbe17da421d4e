/// Which jobs' outcomes a delegate hears of; what is left empty lets everything pass.
public struct DeliveryFilter: Hashable, Sendable {
    /// Names of transfer queues.
    public var queues: Set<String>
    /// Names of destinations, as ``DestinationReference/label`` says them.
    public var destinations: Set<String>
    public var batches: Set<ExactText>
    /// Values that the job's metadata must have, every one of them.
    public var metadata: [String: String]
    /// The identifier of an app's managers; nil for jobs of anybody.
    public var client: String?

    public init(
        queues: Set<String> = [], destinations: Set<String> = [], batches: Set<ExactText> = [],
        metadata: [String: String] = [:], client: String? = nil
    ) {
        self.queues = queues
        self.destinations = destinations
        self.batches = batches
        self.metadata = metadata
        self.client = client
    }

    public func passes(_ job: UploadJob) -> Bool {
        (queues.isEmpty || queues.contains(job.queue.rawValue))
            && (destinations.isEmpty || destinations.contains(job.destination.label))
            && (batches.isEmpty || job.batch.map { batches.contains(ExactText($0)) } ?? false)
            && (client == nil || job.client == client)
            && metadata.allSatisfy { job.metadata[$0.key]?.isExactly($0.value) == true }
    }
}
