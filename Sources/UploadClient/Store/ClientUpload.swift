package import Uploads

/// The shared record of one upload of an identifier.
package struct ClientUpload: Hashable, Codable, Sendable, Identifiable {
    /// The job, redacted.
    package var job: UploadJob
    /// The round whose end is awaited, from 1.
    package var round: Int
    /// The token of the program that gets the outcome first: see ``ProgramLock``.
    package var startedBy: String
    /// The outcome, once it is known.
    package var end: UploadEvent?
    /// Whether redaction took something from the job that its acceptance needs: `true` or nil.
    package private(set) var isCut: Bool?

    package init(job: UploadJob, round: Int = 1, startedBy: String) {
        self.job = job.redacted
        isCut = self.job == job ? nil : true
        self.round = round
        self.startedBy = startedBy
    }

    package var id: JobID { job.id }
}
