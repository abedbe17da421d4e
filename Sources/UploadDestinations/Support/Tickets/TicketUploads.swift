import Uploads

/// The methods that all drivers with tickets share as destinations.
struct TicketUploads: Sendable {
    let source: any TicketSource
    let put: TicketPut

    /// `unknowable` before the bytes are there: until then no id names the upload.
    func probe(_ job: UploadJob, _ state: UploadState?) async throws(UploadError) -> ProbeAnswer {
        guard let state else { return .unknowable }
        guard let sent = try? TicketState(state, of: source.driver) else { return .nothing }
        switch try await source.verdict(of: sent.id, job) {
        case .done(let response):
            return .complete(CompletedUpload(sent.object(of: job, at: source), response: response))
        // In every other case the completing step decides and reports the error.
        case .open, .pending, .refused, .absent, nil: return .partial(state, beside: nil)
        }
    }

    /// - Throws: `rejected` for a job whose `ifExists` needs to know the existing object; the errors of the source's check.
    func open(_ job: UploadJob, resuming state: UploadState?) throws(UploadError) -> TicketSession {
        try source.check(job)
        guard let state else {
            guard job.ifExists == .replace else {
                throw UploadError(
                    .rejected,
                    "\(source.displayURL) gives a place for each upload and cannot tell whether an object is there: enqueue the "
                        + "file with --if-exists replace")
            }
            return TicketSession(job, nil, from: source, by: put)
        }
        return TicketSession(job, try TicketState(state, of: source.driver), from: source, by: put)
    }
}
