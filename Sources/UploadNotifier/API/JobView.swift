import Foundation
import Uploads

/// A job as the API shows it.
struct JobView: Encodable, Sendable {
    struct Failure: Encodable, Sendable {
        var at: Date
        var attempt: Int
        var code: UploadError.Code
        var message: String
    }

    var id: JobID
    var status: LedgerStatus
    var since: Date
    var queue: QueueName
    var priority: Lane
    var source: String
    var destination: String
    /// `photos:2026/cat.jpg`, or a URL without its query.
    var target: String
    var contentType: String
    var size: Int64
    var sha256: String?
    var metadata: [String: String]
    var batch: String?
    var idempotencyKey: String?
    var enqueuedAt: Date
    var notBefore: Date?
    var expiresAt: Date?
    var round: Int
    var generation: Int
    var slice: Int
    var attempts: Int
    /// nil: what the destination says.
    var attemptsMaximum: Int?
    var bytesSent: Int64
    var activeSeconds: Double
    var startedAt: Date?
    var waitingUntil: Date?
    var reason: String?
    /// How it stands in the serial line of its queue, while it does.
    var line: LinePhase?
    var isPaused: Bool
    var isCancelling: Bool
    var failures: [Failure]
    var endedAt: Date?
    var error: ErrorView?
    /// When its names, metadata, answers and errors were forgotten.
    var forgottenAt: Date?
    /// While it runs and its worker tells.
    var progress: ProgressView?

    init(_ known: LedgerJob, on latest: LatestProgress) {
        let baton = known.baton
        let job = baton.job
        id = known.id
        status = known.status
        since = known.since
        queue = job.queue
        priority = job.priority
        source = known.forgottenAt == nil ? job.source.displayText : "forgotten"
        destination = job.destination.label
        target = job.destination.displayText
        contentType = job.contentType
        size = job.size
        sha256 = job.digests.sha256
        metadata = job.metadata
        batch = job.batch
        idempotencyKey = job.idempotencyKey
        enqueuedAt = job.enqueuedAt
        notBefore = job.notBefore
        expiresAt = job.expiresAt
        round = known.round
        generation = known.generation
        slice = baton.slice
        attempts = baton.attempts
        attemptsMaximum = job.retry?.maxAttempts
        bytesSent = baton.bytesSent
        activeSeconds = baton.activeSeconds
        startedAt = baton.startedAt
        waitingUntil = known.waitingUntil
        reason = known.reason
        line = known.line
        isPaused = known.status == .paused || (known.end == nil && known.isPaused)
        isCancelling = known.isCancelling && known.end == nil
        failures = baton.failures.map {
            Failure(at: $0.at, attempt: $0.attempt, code: $0.code, message: $0.message)
        }
        endedAt = known.end?.at
        error = known.end?.error.map { ErrorView($0) }
        forgottenAt = known.forgottenAt
        progress =
            known.status == .running ? latest.progress(of: id).map { ProgressView($0, of: job.size) } : nil
    }
}

/// Why something failed. What a destination answered stays out but for its status: a server may repeat a signature.
struct ErrorView: Encodable, Sendable {
    var code: UploadError.Code
    var message: String
    var status: Int?

    init(_ error: UploadError) {
        code = error.code
        message = error.message
        status = error.response?.status
    }
}

extension SourceReference {
    /// For people: where the bytes come from.
    fileprivate var displayText: String {
        switch self {
        case .staged(_, let name): "staged:\(name)"
        case .file(let path, _): path.description
        case .inline: "inline"
        case .object(let origin, _): origin.displayText
        }
    }
}
