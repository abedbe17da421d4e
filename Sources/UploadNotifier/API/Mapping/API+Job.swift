import Uploads
import UploadsAPI

extension API.Job {
    init(_ known: LedgerJob, on latest: LatestProgress) {
        let baton = known.baton
        let job = baton.job
        self.init(
            id: known.id.rawValue, status: known.status.rawValue, since: known.since, queue: job.queue.rawValue,
            priority: job.priority.rawValue,
            source: known.forgottenAt == nil ? job.source.displayText : "forgotten",
            destination: job.destination.label, target: job.destination.displayText, contentType: job.contentType,
            size: job.size, crc64nvme: job.digests.crc64nvme, sha256: job.digests.sha256, metadata: job.metadata,
            batch: job.batch,
            idempotencyKey: job.idempotencyKey, enqueuedAt: job.enqueuedAt, notBefore: job.notBefore,
            expiresAt: job.expiresAt, round: known.round, generation: known.generation, slice: baton.slice,
            attempts: baton.attempts, attemptsMaximum: job.retry?.maxAttempts, bytesSent: baton.bytesSent,
            activeSeconds: baton.activeSeconds, startedAt: baton.startedAt, waitingUntil: known.waitingUntil,
            reason: known.reason, line: known.line?.rawValue,
            isPaused: known.status == .paused || (known.end == nil && known.isPaused),
            isCancelling: known.isCancelling && known.end == nil,
            failures: baton.failures.map {
                API.Failure(at: $0.at, attempt: $0.attempt, code: $0.code.description, message: $0.message)
            },
            endedAt: known.end?.at, error: known.end?.error.map { API.Error($0) }, forgottenAt: known.forgottenAt,
            progress: known.status == .running
                ? latest.progress(of: known.id).map { API.Progress($0, of: job.size) } : nil)
    }
}

extension API.Error {
    init(_ error: UploadError) {
        self.init(code: error.code.description, message: error.message, status: error.response?.status)
    }
}

extension API.LinePlace {
    init(_ place: LinePlace, queue: QueueName) {
        self.init(
            queue: queue.rawValue, position: place.position, waiting: place.waiting, behind: place.behind?.rawValue,
            holder: place.holder?.rawValue, holderStatus: place.holderStatus?.rawValue)
    }
}

extension API.Explanation {
    init(_ explanation: JobExplanation) {
        self.init(code: explanation.code.rawValue, text: explanation.text, until: explanation.until)
    }
}

extension SourceReference {
    /// Where the bytes come from, for people.
    fileprivate var displayText: String {
        switch self {
        case .staged(_, let name): "staged:\(name)"
        case .file(let path, _): path.description
        case .inline: "inline"
        case .object(let origin, _): origin.displayText
        }
    }
}
