import UploadWorkers

/// The settings of an ``EmbeddedUploadManager``.
public struct EmbeddedConfiguration: Hashable, Sendable {
    /// Uploads at once, 1 or more; 4 by default. A destination may allow fewer.
    public var concurrency: Int
    /// Parts in parallel of one upload, 1 or more; 4 by default. A destination may allow fewer.
    public var parts: Int
    /// How long one upload runs before waiting uploads have their turn: 5 minutes by default.
    public var slice: Duration
    /// How long ``EmbeddedUploadManager/close()`` waits until the running uploads reach the end of a part: 5 s by
    /// default. Later parts are cut off, and sent again in the next run.
    public var grace: Duration
    /// How long the bytes of a failed upload are kept, so that it can be resumed: 7 days by default.
    public var keepFailed: Duration

    public init(
        concurrency: Int = 4, parts: Int = 4, slice: Duration = .seconds(300), grace: Duration = .seconds(5),
        keepFailed: Duration = .seconds(7 * 86_400)
    ) {
        self.concurrency = max(1, concurrency)
        self.parts = max(1, parts)
        self.slice = slice
        self.grace = grace
        self.keepFailed = keepFailed
    }

    var worker: WorkerConfiguration {
        WorkerConfiguration(concurrency: concurrency, parts: parts, slice: slice, grace: grace, consumerTimeout: nil)
    }
}
