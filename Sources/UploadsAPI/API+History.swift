public import Foundation

extension API {
    /// The jobs that ended within a time, in equal parts of it, without gaps.
    public struct History: Codable, Hashable, Sendable {
        /// `hour`, `day`, `week` or `month`.
        public var period: String
        /// The beginning of the first part.
        @Tolerant public var from: Date
        /// The end of the last part, which has begun and is not over.
        @Tolerant public var until: Date
        /// The length of a part.
        public var bucketSeconds: Int
        /// The parts, the oldest first.
        public var buckets: [HistoryBucket]

        public init(period: String, from: Date, until: Date, bucketSeconds: Int, buckets: [HistoryBucket]) {
            self.period = period
            self.from = from
            self.until = until
            self.bucketSeconds = bucketSeconds
            self.buckets = buckets
        }
    }

    /// The jobs that ended within one part of a history.
    public struct HistoryBucket: Codable, Hashable, Sendable {
        /// The part's beginning.
        public var start: Date
        public var completed: Int
        public var failed: Int
        public var cancelled: Int
        /// Bytes of the completed jobs.
        public var bytes: Int64

        public init(start: Date, completed: Int, failed: Int, cancelled: Int, bytes: Int64) {
            self.start = start
            self.completed = completed
            self.failed = failed
            self.cancelled = cancelled
            self.bytes = bytes
        }
    }
}
