public import Foundation

extension API {
    /// Failed jobs that have their destination and their error in common.
    public struct FailureGroup: Codable, Hashable, Sendable {
        /// The configured name, or the scheme of a URL.
        public var destination: String
        /// A code of an upload error, such as `accessDenied`.
        public var error: String
        /// How many jobs have failed so.
        public var jobs: Int
        /// When the first of the jobs ended.
        @Tolerant public var firstEndedAt: Date
        /// When the last of the jobs ended.
        @Tolerant public var lastEndedAt: Date
        /// A job that ended last, a UUID; nil where its row in the ledger is damaged.
        public var newest: String?
        /// The message of its error; nil where it has none, or its names were forgotten.
        public var message: String?

        public init(
            destination: String, error: String, jobs: Int, firstEndedAt: Date, lastEndedAt: Date, newest: String? = nil,
            message: String? = nil
        ) {
            self.destination = destination
            self.error = error
            self.jobs = jobs
            self.firstEndedAt = firstEndedAt
            self.lastEndedAt = lastEndedAt
            self.newest = newest
            self.message = message
        }
    }

    /// The largest groups of failed jobs, the largest first.
    public struct FailureList: Codable, Hashable, Sendable {
        public var failures: [FailureGroup]

        public init(failures: [FailureGroup]) { self.failures = failures }
    }
}
