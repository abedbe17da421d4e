public import Foundation

/// An upload that was begun at a destination and neither completed nor removed, as the destination lists it.
public struct UnfinishedUpload: Hashable, Sendable {
    /// The most uploads that a destination lists at once.
    public static let countMaximum = 10_000

    /// The object's key as jobs name it: without the prefix that the destination's configuration adds.
    public var key: String
    /// Its id at the destination: the upload id of S3, the name of an unfinished file.
    public var sessionID: String
    /// When it was begun, or last written to where the destination knows that.
    public var startedAt: Date
    /// The job that began it, where the destination keeps that with it.
    public var job: JobID?
    /// The bytes that it takes up, where the destination lists that.
    public var bytes: Int64?

    public init(key: String, sessionID: String, startedAt: Date, job: JobID? = nil, bytes: Int64? = nil) {
        self.key = key
        self.sessionID = sessionID
        self.startedAt = startedAt
        self.job = job
        self.bytes = bytes
    }
}
