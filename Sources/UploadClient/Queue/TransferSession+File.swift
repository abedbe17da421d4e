public import Uploads

extension TransferSession {
    /// A file of a session.
    public struct File: Hashable, Codable, Sendable {
        /// How a file stands.
        public enum State: String, Codable, Sendable {
            case waiting
            case running
            /// Waits for another try.
            case interrupted
            case paused
            case cancelled
            case failed
            case completed

            public var isEnd: Bool { self == .cancelled || self == .failed || self == .completed }
        }

        /// Relative to the root of the account's destination.
        public let path: String
        /// Bytes.
        public let size: Int64
        public let contentType: String
        public let info: UploadInfo
        public internal(set) var state = State.waiting
        /// Bytes that the destination holds.
        public internal(set) var bytesDone: Int64 = 0
        public internal(set) var failure: UploadError?

        /// The name of the queue's own copy of it.
        let content: String
        /// Of the latest run.
        var job: JobID?
        /// Whether whoever carries it has the job.
        var isAccepted = false

        init(path: String, size: Int64, contentType: String, info: UploadInfo = UploadInfo(), content: String) {
            self.path = path
            self.size = size
            self.contentType = contentType
            self.info = info
            self.content = content
        }
    }
}
