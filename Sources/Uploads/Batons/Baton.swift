public import Foundation

/// The message that carries a job's whole state and the right to work on it. The worker that holds the delivery holds
/// the baton; there is no lease table.
///
/// Rule 1: lineage. A worker raises only ``slice``; the notifier alone raises ``generation`` and ``round``.
public struct Baton: Hashable, Sendable {
    /// Failures that the baton carries; the ledger has the older ones.
    public static let failureCountMaximum = 10

    @usableFromInline private(set) var order: SharedJob
    /// From 1; raised when an ended job is run again.
    public var round: Int
    /// From 1; raised whenever the notifier issues the job anew. Lower ones no longer count.
    public var generation: Int
    /// From 0; raised by every hand-over and wait.
    public var slice: Int
    /// Failed attempts of this round so far.
    public var attempts: Int
    /// Waits since the last progress that were no attempts: a held-up job waits longer each time.
    public var idleWaits: Int
    /// Since when the job has waited for something that it cannot do without, such as its destination.
    public var waitingSince: Date?
    /// The open session, if any.
    @Boxed public var state: UploadState?
    /// The last failures, oldest first, at most ``failureCountMaximum``.
    public var failures: [FailureRecord]
    /// Whether this baton's work is to cancel the job.
    public var isCancel: Bool
    /// Whether the ledger has ended the round before any worker was given the job, so that all that is left to do is to
    /// remove the staged copy. The worker publishes no event of such a baton.
    public var onlyRemovesCopy: Bool
    /// Whether the job must run alone in its worker, because it may kill the worker.
    public var runsAlone: Bool
    /// Bytes that were sent in this round, repeats included.
    public var bytesSent: Int64
    /// Seconds that slices of this round have worked.
    public var activeSeconds: TimeInterval
    /// When the round's first slice began.
    public var startedAt: Date?
    /// When the round's first failed attempt began, moved on by each wait since that was no attempt: the retry policy's age counts from
    /// here.
    public var triedSince: Date?
    /// Fields of a newer version: kept and handed on.
    public var unknown: [String: JSONValue]

    /// The first baton of a job: what `upload.job.v1` means to a worker.
    public init(job: UploadJob, round: Int = 1, generation: Int = 1) {
        self.order = SharedJob(job)
        self.round = round
        self.generation = generation
        self.slice = 0
        self.attempts = 0
        self.idleWaits = 0
        self.waitingSince = nil
        self.state = nil
        self.failures = []
        self.isCancel = false
        self.onlyRemovesCopy = false
        self.runsAlone = false
        self.bytesSent = 0
        self.activeSeconds = 0
        self.startedAt = nil
        self.triedSince = nil
        self.unknown = [:]
    }

    // The accessors yield the job where it lies, and other modules must see that: a copy of it is forty references.
    @inlinable public var job: UploadJob {
        _read { yield order.job }
        _modify {
            var job = order.job
            defer { order = SharedJob(job) }
            yield &job
        }
    }

    /// Rule 7: probe first. Whether a worker may have held this job before, so that this worker asks the destination
    /// what it has.
    public var mustProbe: Bool { round > 1 || generation > 1 || slice > 0 }

    /// Whether the notifier has issued the job anew, because something went wrong or an operator ordered it. Each slice
    /// of such a job publishes `started` before it does anything else.
    public var isIssued: Bool { round > 1 || generation > 1 }

    /// The baton with its job redacted, as events carry it.
    public var redacted: Baton {
        var baton = self
        baton.order = order.redacted
        return baton
    }

    /// Whether the jobs are equal: quick where both batons share one.
    package func hasJob(of other: Baton) -> Bool { order == other.order }

    /// The baton with what workers found out about its order, and all the rest, of another form of it (``UploadJob/known(like:)``).
    func merging(_ told: Baton) -> Baton {
        var baton = told
        baton.order = order
        if !job.knows(told.job) { baton.job = job.known(like: told.job) }
        return baton
    }
}
