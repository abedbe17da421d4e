/// What workers told of late: of each job and of each worker's destinations the latest.
public struct WorkerNews: Hashable, Sendable {
    /// `progress` events.
    public var progress: [UploadEvent]
    public var destinations: [DestinationReport]

    public init(progress: [UploadEvent] = [], destinations: [DestinationReport] = []) {
        self.progress = progress
        self.destinations = destinations
    }
}
