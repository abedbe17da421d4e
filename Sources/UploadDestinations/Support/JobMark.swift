import Foundation
import Uploads

/// Whose a stored object is, as it is kept beside it.
struct JobMark: Hashable, Sendable {
    var job: String
    /// As on the wire, so that it sorts by time.
    var enqueuedAt: String

    init(job: String, enqueuedAt: String) {
        self.job = job
        self.enqueuedAt = enqueuedAt
    }

    init(_ job: UploadJob) {
        self.init(job: job.id.rawValue, enqueuedAt: WireJSON.timestamp(job.enqueuedAt))
    }

    func belongs(to other: UploadJob) -> Bool { job == other.id.rawValue }

    /// Whether the object is of a job that was enqueued later; of two in one millisecond the ids decide.
    func isNewer(than other: UploadJob) -> Bool {
        let other = JobMark(other)
        return (enqueuedAt, job) > (other.enqueuedAt, other.job)
    }
}
