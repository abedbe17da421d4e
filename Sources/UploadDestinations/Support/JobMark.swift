import Foundation
import Uploads

/// The job to which a stored object belongs, as it is stored beside the object.
struct JobMark: Hashable, Sendable {
    var job: String
    /// In the wire format, so that it sorts by time.
    var enqueuedAt: String

    init(job: String, enqueuedAt: String) {
        self.job = job
        self.enqueuedAt = enqueuedAt
    }

    init(_ job: UploadJob) {
        self.init(job: job.id.rawValue, enqueuedAt: WireJSON.timestamp(job.enqueuedAt))
    }

    func belongs(to other: UploadJob) -> Bool { job == other.id.rawValue }

    /// Whether the object belongs to a job that was enqueued later; within a millisecond the ids decide.
    func isNewer(than other: UploadJob) -> Bool {
        let other = JobMark(other)
        return (enqueuedAt, job) > (other.enqueuedAt, other.job)
    }
}
