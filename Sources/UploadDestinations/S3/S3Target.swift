import Foundation
import Uploads

/// One job's object: its key, and the metadata that marks it.
struct S3Target: Sendable {
    static let jobHeader = "x-amz-meta-longshore-job"
    static let enqueuedHeader = "x-amz-meta-longshore-enqueued-at"

    var job: UploadJob
    let configuration: S3Configuration
    var key: String

    /// - Throws: `rejected` for a key that S3 does not take, `misconfigured` for a URL.
    init(_ job: UploadJob, _ configuration: S3Configuration) throws(UploadError) {
        guard case .named(_, let key) = job.destination else {
            throw UploadError(.misconfigured, "an S3 destination is named: use NAME:KEY instead of a URL")
        }
        self.job = job
        self.configuration = configuration
        self.key = configuration.prefix + key
        guard !key.isEmpty else {
            throw UploadError(.rejected, "the key is empty: use NAME:KEY with a key of at least one character")
        }
        guard self.key.utf8.count <= S3Limits.keyBytesMaximum else {
            throw UploadError(
                .rejected,
                "'\(self.key.prefix(60))…' has \(self.key.utf8.count) bytes, S3 takes keys of \(S3Limits.keyBytesMaximum): "
                    + "use a shorter one")
        }
    }

    /// Whether the file goes up in parts.
    var isMultipart: Bool { job.size > min(configuration.multipartThresholdBytes, S3Limits.putBytesMaximum) }

    /// The metadata by which any worker can tell to which job the object belongs.
    var mark: [(name: String, value: String)] {
        let mark = JobMark(job)
        return [(Self.jobHeader, mark.job), (Self.enqueuedHeader, mark.enqueuedAt)]
    }

    func plan() throws(UploadError) -> PartPlan {
        try PartPlan(
            size: job.size,
            limits: PartLimits(
                partBytesMinimum: S3Limits.partBytesMinimum, partBytesMaximum: S3Limits.partBytesMaximum,
                partCountMaximum: min(configuration.partCountMaximum, S3Limits.partCountMaximum)),
            preferredPartSize: configuration.partBytes)
    }

    /// The mark of a stored object; nil where Longshore has not marked it.
    static func mark(of reply: HTTPReply) -> JobMark? {
        guard let job = reply.header(jobHeader) else { return nil }
        return JobMark(job: job, enqueuedAt: reply.header(enqueuedHeader) ?? "")
    }

    /// The object that an answer to HEAD describes.
    static func object(_ reply: HTTPReply, at location: String) -> StoredObject {
        StoredObject(
            location: location, etag: reply.header("etag").map(quoted), version: reply.header("x-amz-version-id"),
            size: reply.header("content-length").flatMap { Int64($0) }, digests: S3Digest.digests(of: reply))
    }

    /// An ETag in the form that a condition needs (RFC 9110, section 8.8.3); some answers leave out the quotes.
    static func quoted(_ etag: String) -> String { etag.hasPrefix("\"") ? etag : "\"\(etag)\"" }
}
