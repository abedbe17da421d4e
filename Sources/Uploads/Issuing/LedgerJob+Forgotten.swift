public import Foundation

/// What is left of a job when its names are forgotten: enough to recognise and count it, and to know that it has ended.
/// So a late delivery of it still causes nothing, where a job that is gone from the ledger would be issued anew.
extension LedgerJob {
    /// The job without names, metadata, answers and error messages. The name of its staged copy, which the producer
    /// makes of random numbers, stays: by it the clean-up of the staging area finds a copy that was left behind.
    /// - Precondition: its round has ended.
    public func forgotten(at time: Date) -> LedgerJob {
        var job = self
        job.baton = baton.forgotten
        job.isWhole = false
        job.reason = nil
        job.trouble = nil
        job.wish = nil
        job.initialState = nil
        job.end?.error = end?.error?.forgotten
        job.orders = []
        job.forgottenAt = time
        return job
    }
}

extension UploadEvent {
    /// The event of a job that was forgotten: only that it happened, and when. A new field is left out here, unless it names nothing
    /// and is added by hand.
    public var forgotten: UploadEvent {
        var event = UploadEvent(id: id, kind: kind, time: time, data: EventData(data.baton.forgotten))
        event.data.error = data.error?.forgotten
        event.data.endedAt = data.endedAt
        return event
    }
}

extension Baton {
    fileprivate var forgotten: Baton {
        var baton = Baton(job: job.forgotten, round: round, generation: generation)
        baton.slice = slice
        baton.attempts = attempts
        baton.failures = failures.map { failure in
            var failure = failure
            failure.message = ""
            return failure
        }
        baton.isCancel = isCancel
        baton.bytesSent = bytesSent
        baton.activeSeconds = activeSeconds
        baton.startedAt = startedAt
        baton.triedSince = triedSince
        return baton
    }
}

extension UploadJob {
    /// Made anew from what stays, so that a field that is added later is forgotten unless it is named here. The fields
    /// from which the end of its fence is computed are kept (``LedgerJob/fenceEndsAt``).
    fileprivate var forgotten: UploadJob {
        var job = UploadJob(
            id: id, queue: queue, priority: priority, source: source.forgotten, destination: destination.forgotten,
            size: size, retry: retry, enqueuedAt: enqueuedAt)
        job.ifExists = ifExists
        job.client = client
        job.serial = serial
        job.verify = verify
        job.notBefore = notBefore
        job.expiresAt = expiresAt
        return job
    }
}

extension SourceReference {
    fileprivate var forgotten: SourceReference {
        switch self {
        case .staged: self
        case .file, .inline, .object: .inline(Data())
        }
    }
}

extension DestinationReference {
    /// The reference with the same ``label``, by which jobs are counted.
    fileprivate var forgotten: DestinationReference {
        switch self {
        case .named(let name, _): .named(name, key: "")
        case .url: .url("\(label):")
        }
    }
}

extension UploadError {
    /// Its code alone.
    fileprivate var forgotten: UploadError { UploadError(code, "", retry: retry) }
}
