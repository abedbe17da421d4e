public import Foundation

/// The jobs that ended within one of the equal parts of a time.
public struct HistoryBucket: Hashable, Sendable {
    /// The most buckets of one history.
    public static let countMaximum = 800

    /// The bucket's beginning.
    public var start: Date
    public var completed: Int
    public var failed: Int
    public var cancelled: Int
    /// Bytes of the completed jobs.
    public var bytes: Int64

    public init(start: Date, completed: Int = 0, failed: Int = 0, cancelled: Int = 0, bytes: Int64 = 0) {
        self.start = start
        self.completed = completed
        self.failed = failed
        self.cancelled = cancelled
        self.bytes = bytes
    }
}
