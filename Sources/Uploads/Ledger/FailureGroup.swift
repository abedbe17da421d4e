public import Foundation

/// Failed jobs that have their destination and their error in common.
public struct FailureGroup: Hashable, Sendable {
    /// The most groups of one answer.
    public static let limitMaximum = 50

    /// The destination's label: its configured name, or the scheme of a URL.
    public var destination: String
    /// ``LedgerJob/failureCode`` of each of the jobs.
    public var code: UploadError.Code
    public var count: Int
    /// When the first of the jobs ended.
    public var firstEndedAt: Date
    public var lastEndedAt: Date
    /// A job that ended last; nil if its row cannot be read.
    public var newest: JobID?
    /// The message of its error; nil where it has none, or its names were forgotten.
    public var message: String?

    public init(
        destination: String, code: UploadError.Code, count: Int, firstEndedAt: Date, lastEndedAt: Date,
        newest: JobID? = nil, message: String? = nil
    ) {
        self.destination = destination
        self.code = code
        self.count = count
        self.firstEndedAt = firstEndedAt
        self.lastEndedAt = lastEndedAt
        self.newest = newest
        self.message = message
    }

    /// The group with its newest job.
    package func showing(_ job: LedgerJob?) -> FailureGroup {
        var group = self
        group.newest = job?.id
        group.message = job?.end?.error.flatMap { $0.message.isEmpty ? nil : $0.message }
        return group
    }
}
