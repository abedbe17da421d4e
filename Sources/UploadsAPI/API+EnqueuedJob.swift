public import Foundation

extension API {
    /// A job that a request has enqueued.
    public struct EnqueuedJob: Codable, Hashable, Sendable {
        /// A UUID.
        public var id: String
        public var queue: String
        public var enqueuedAt: Date
        /// nil until the ledger has recorded the job.
        public var status: String?

        public init(id: String, queue: String, enqueuedAt: Date, status: String? = nil) {
            self.id = id
            self.queue = queue
            self.enqueuedAt = enqueuedAt
            self.status = status
        }
    }
}
