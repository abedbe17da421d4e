public import Uploads

/// All that is needed to continue an upload that ended or is under way: encode it, keep it anywhere, and pass it to
/// ``UploadManager/resume(with:)`` of any program with the same identifier. It holds no bytes and no credential.
public struct ResumableUpload: Hashable, Codable, Sendable, Identifiable {
    /// The job, without inline bytes and without the query of a URL.
    public let job: UploadJob
    /// The upload's round when this value was made, from 1.
    public let round: Int
    /// The open session at the destination, if there is one.
    public let state: UploadState?

    public init(job: UploadJob, round: Int, state: UploadState?) {
        self.job = job.redacted
        self.round = round
        self.state = state
    }

    public var id: JobID { job.id }
}
