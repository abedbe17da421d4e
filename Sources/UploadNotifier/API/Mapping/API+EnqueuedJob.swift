import Uploads
import UploadsAPI

extension API.EnqueuedJob {
    /// A job that the broker has, and the ledger has not recorded yet.
    init(_ job: UploadJob) {
        self.init(id: job.id.rawValue, queue: job.queue.rawValue, enqueuedAt: job.enqueuedAt)
    }

    init(_ known: LedgerJob) {
        self.init(known.baton.job)
        status = known.status.rawValue
    }
}
