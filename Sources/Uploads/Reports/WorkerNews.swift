/// The latest reports of workers: the last progress of each job, and the last report of each worker on each
/// destination.
public struct WorkerNews: Hashable, Sendable {
    /// `progress` events.
    public var progress: [UploadEvent]
    public var destinations: [DestinationReport]

    public init(progress: [UploadEvent] = [], destinations: [DestinationReport] = []) {
        self.progress = progress
        self.destinations = destinations
    }
}
