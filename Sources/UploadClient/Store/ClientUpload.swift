package import Uploads

/// One upload of an identifier, as its programs remember it together.
package struct ClientUpload: Hashable, Codable, Sendable, Identifiable {
    /// The order, redacted.
    package var job: UploadJob
    /// The round that is awaited, from 1.
    package var round: Int
    /// The program that is told first: see ``ProgramLock``.
    package var startedBy: String
    /// The outcome, once it is known.
    package var end: UploadEvent?
    /// Whether redaction took something from the order, without which it cannot be accepted: `true` or nil.
    package private(set) var isCut: Bool?

    package init(job: UploadJob, round: Int = 1, startedBy: String) {
        self.job = job.redacted
        isCut = self.job == job ? nil : true
        self.round = round
        self.startedBy = startedBy
    }

    package var id: JobID { job.id }
}
