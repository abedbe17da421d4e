public import Uploads

extension TransferSession {
    /// A file of a session.
    public struct File: Hashable, Codable, Sendable {
        /// The state of a file.
        public enum State: String, Codable, Sendable {
            case waiting
            case running
            /// Waits for another try.
            case interrupted
            case paused
            /// Its upload is being cancelled.
            case cancelling
            case cancelled
            case failed
            case completed

            public var isEnd: Bool { self == .cancelled || self == .failed || self == .completed }
        }

        /// Relative to the root of the account's destination.
        public let path: String
        /// Bytes; nil for an object at a destination that no worker has examined yet.
        public internal(set) var size: Int64?
        public let contentType: String
        public let info: UploadInfo
        public internal(set) var state = State.waiting
        /// Bytes that the destination holds.
        public internal(set) var bytesDone: Int64 = 0
        public internal(set) var failure: UploadError?

        /// The end that is not at the account's destination, if no copy is kept: the target of a download, or the
        /// source object of an upload.
        public let other: DestinationReference?
        /// The name of the queue's own copy of the file.
        let content: String?
        /// The job of the latest run.
        var job: JobID?
        /// Whether the manager has accepted the job.
        var isAccepted = false

        /// 0 to 1; 0 while the size is not known.
        public var fractionDone: Double {
            if state == .completed { return 1 }
            guard let size else { return 0 }
            return size == 0 ? 1 : min(1, Double(bytesDone) / Double(size))
        }

        init(path: String, size: Int64, contentType: String, info: UploadInfo = UploadInfo(), content: String) {
            self.path = path
            self.size = size
            self.contentType = contentType
            self.info = info
            self.content = content
            other = nil
        }

        /// Makes the file for an object that is copied to the path.
        init(path: String, object: DestinationReference, contentType: String?, info: UploadInfo) {
            self.path = path
            self.contentType = contentType ?? Preparation.contentType([Preparation.name(object), path])
            self.info = info
            other = object
            content = nil
        }

        init(_ download: TransferDownload) {
            path = download.path
            contentType =
                download.contentType
                ?? Preparation.contentType([download.path, Preparation.name(download.destination)])
            info = download.info
            other = download.destination
            content = nil
        }
    }
}
