public import Foundation

/// What the queue publishes, in this order and all confirmed, before it acknowledges a delivery. Pure: the worker's
/// side of the rules of the baton.
public struct SettlementPlan: Hashable, Sendable {
    /// The next slice's baton and where it goes.
    public struct Onward: Hashable, Sendable {
        public var baton: Baton
        public var lane: Lane
        /// Seconds on the ladder; nil goes to the lane at once.
        public var delay: TimeInterval?
    }

    public var onward: Onward?
    public var event: UploadEvent?
    /// Whether the staged copy goes once the event is confirmed: completed and cancelled only.
    public var removesStagedCopy: Bool
    /// False only where the delivery's connection is gone.
    public var acknowledges: Bool

    /// The plan for a delivery of this baton.
    /// - Parameters:
    ///   - lane: the lane that delivered the baton. An urgent baton stays urgent: an operator's 'run now' must not end
    ///     with the first hand-over, behind the jobs that it has preempted.
    ///   - isStopped: a baton that is handed over unstarted because its queue was stopped, or its worker drained, goes ahead of
    ///     its peers, because it was ahead of them.
    public init(
        _ slice: SettledSlice, of baton: Baton, from lane: Lane = .normal, isStopped: Bool = false, now: Date
    ) {
        let isUrgent = baton.isCancel || lane == .urgent
        onward = nil
        event = nil
        removesStagedCopy = false
        acknowledges = true
        let current = baton.adding(slice.report)
        switch slice.settlement {
        case .superseded: break
        case .abandoned: acknowledges = false
        case .ended(let outcome):
            var last = current
            switch outcome {
            case .failed(let error, let state):
                last.state = state
                if error.code.isOfAttempt { last.record(error, at: now) }
            // The checksum of a file that was not read before it was sent.
            case .completed(let object, _) where last.job.digests.crc64nvme == nil && object.isMade:
                last.job.digests.crc64nvme = object.digests.crc64nvme
            case .completed, .cancelled: break
            }
            event = UploadEvent(outcome: outcome, of: last, at: now)
            switch outcome {
            // Rule 6: ends. The staged copy of a failed job stays, so that the job can be run again.
            case .completed, .cancelled: removesStagedCopy = true
            // No later round could use what its producer has left.
            case .failed(let error, _): removesStagedCopy = error.code == .sourceIncomplete
            }
        case .handOver(let state):
            var next = current
            // Rule 1: lineage. A worker raises only the slice.
            next.slice.advance()
            // A job that never began and has nothing open goes back to where it came from, not ahead of its peers.
            let wasStarted = slice.report.startedAt != nil || state != nil
            if wasStarted { next.endWaiting() }
            next.state = state
            let isAhead = wasStarted || isStopped
            let lane: Lane = isUrgent ? .urgent : isAhead ? .continued : baton.job.priority
            onward = Onward(baton: next, lane: lane, delay: nil)
            event = UploadEvent(kind: .handedOver, of: next, at: now)
        case .altered(let job):
            var next = current
            next.job = job
            // No session is open yet, or it was open at the name that was taken.
            next.state = nil
            next.slice.advance()
            next.endWaiting()
            onward = Onward(baton: next, lane: isUrgent ? .urgent : .continued, delay: nil)
            event = UploadEvent(kind: .handedOver, of: next, at: now)
        case .wait(let until, let reason, let state):
            var next = current
            next.slice.advance()
            next.state = state
            if case .retry(let error) = reason {
                next.triedSince = next.triedSince ?? slice.report.startedAt ?? now
                next.record(error, at: now)
                next.endWaiting()
            } else {
                next.idleWaits.advance()
                switch reason.isMissingSomething {
                case true?: next.waitingSince = next.waitingSince ?? now
                case false?: next.waitingSince = nil
                case nil: break
                }
                next.triedSince = next.triedSince.map { $0 + max(0, until.timeIntervalSince(now)) }
            }
            // The broker notes the time when a baton leaves the ladder. The longer the baton then waits in its lane,
            // the less that time is worth to a worker without a confirmed clock.
            let isAhead = state != nil || reason == .clock
            let lane: Lane = isUrgent ? .urgent : isAhead ? .continued : baton.job.priority
            onward = Onward(baton: next, lane: lane, delay: max(1, until.timeIntervalSince(now)))
            event = UploadEvent(kind: reason == .paused ? .paused : .waiting, of: next, at: now)
            event?.data.waitingUntil = until
            event?.data.reason = reason.label
            switch reason {
            case .retry(let error), .circuitOpen(let error), .notYet(let error), .resting(let error),
                .limited(let error):
                event?.data.error = error
            default: break
            }
        }
        // The notifier published the round's end before it issued this baton.
        if baton.onlyRemovesCopy { event = nil }
    }
}

extension Baton {
    fileprivate func adding(_ report: SliceReport) -> Baton {
        var baton = self
        baton.bytesSent = min(bytesSent.addingSaturating(report.bytesSent), WireLimits.bytesSentMaximum)
        baton.activeSeconds = min(activeSeconds + report.activeSeconds, WireLimits.secondsMaximum)
        baton.startedAt = startedAt ?? report.startedAt
        return baton
    }

    fileprivate mutating func endWaiting() {
        idleWaits = 0
        waitingSince = nil
    }

    fileprivate mutating func record(_ error: UploadError, at now: Date) {
        attempts.advance()
        failures.append(FailureRecord(at: now, attempt: attempts, error: error))
        failures.removeFirst(max(0, failures.count - Self.failureCountMaximum))
    }
}
