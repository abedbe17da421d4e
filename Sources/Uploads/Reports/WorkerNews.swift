/// The latest reports of workers: the last progress of each job, the last report of each worker on each destination, and
/// the last report of each worker on itself.
public struct WorkerNews: Hashable, Sendable {
    /// `progress` events.
    public var progress: [UploadEvent]
    public var destinations: [DestinationReport]
    public var workers: [WorkerReport]

    public init(
        progress: [UploadEvent] = [], destinations: [DestinationReport] = [], workers: [WorkerReport] = []
    ) {
        self.progress = progress
        self.destinations = destinations
        self.workers = workers
    }
}
