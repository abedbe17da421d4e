import Foundation

/// Jobs whose message the broker has lost before a worker began it. They are issued anew after a pause, because a
/// policy that drops every message would otherwise cost a generation each moment.
extension IssuingMachine {
    /// Notes that the message of the current generation is gone. The caller adds what is to be recorded.
    func hold(_ known: LedgerJob, _ cause: DeathCause) -> LedgerJob {
        var job = known
        guard cause != .noLane else {
            // It is issued as soon as there is a lane, which the notifier looks for at intervals.
            job.hold = IssueHold(.noLane, until: now)
            return job
        }
        var drops = job.drops ?? DropTally()
        drops.add(cause)
        job.drops = drops
        job.hold = IssueHold(cause.isPolicy ? .policy : .givenUp, until: now + drops.pause)
        return job
    }

    /// Begins to issue a held job whose time has come and whose lane exists. The baton follows when the marker is read
    /// back.
    public func issueHeld(_ known: LedgerJob) -> IssuingDecision {
        guard known.end == nil, var hold = known.hold else {
            return IssuingDecision(job: known, actions: [.note(.nothingNew)])
        }
        var job = known
        job.raiseGeneration(to: fence)
        let wish = job.openWish ?? IssueWish(marker: marker(for: job), isSuspect: true)
        job.wish = wish
        // A marker that another notifier has read, or that was lost with the queue, is sent again after this time.
        hold.until = now + Self.markerPatience
        job.hold = hold
        return IssuingDecision(job: job, actions: [.mark(wish.marker)])
    }

    /// No lane has taken an issued baton. The job is issued anew later, as another generation.
    public func unclaimed(_ baton: Baton, _ cause: DeathCause, for known: LedgerJob?) -> IssuingDecision {
        guard let job = known, job.end == nil, job.round == baton.round, job.generation == baton.generation else {
            return IssuingDecision(job: known, actions: [.note(.olderGeneration)])
        }
        var held = hold(job, cause)
        held.reason = cause.reason
        return IssuingDecision(job: held)
    }
}
