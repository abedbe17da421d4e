public import Foundation

/// The notifier's side of the rules of the baton: what is recorded, what is issued anew, and which end is published.
/// Pure: a job and a message in, the job and actions out.
///
/// Rule 3: issuing. A suspect or a verb only notes a wish and sends a marker. When the marker comes back, everything
/// that was confirmed before has been recorded; only then, and only if the round has no end, the next generation is
/// noted and published: baton first, fence second. In the other order, a crash between the two would leave a fence and
/// no baton, and with the ledger lost as well no trace of the job. A cancellation may end like that, and its wait must
/// begin behind the fence, so there the fence is first.
public struct IssuingMachine: Sendable {
    /// After this many generations that stopped their worker, the job runs alone in its worker.
    public static let runsAloneAfter = 2
    /// After this many, it ends as failed (`poisoned`).
    public static let poisonedAfter = 5
    /// After the broker has given the job's message up this many times in a row because it was delivered too often,
    /// while no worker reported anything of the job, it ends as failed as well: it may be one that stops a worker which
    /// only reads it. The pauses in between last more than an hour in all, so lost connections alone hardly lead to it.
    public static let undeliveredMaximum = 20

    /// Seconds until the marker of a held job is sent again.
    static let markerPatience: TimeInterval = 60

    /// The lowest generation of the job that counts, by the control log.
    public let fence: Int
    public let now: Date
    /// Makes the id of a marker, if the decision needs one: most do not, and random numbers cost a call of the system.
    let markerID: @Sendable () -> UUID

    public init(fence: Int, now: Date, markerID: @escaping @Sendable () -> UUID = { UUID() }) {
        self.fence = fence
        self.now = now
        self.markerID = markerID
    }

    /// Decides what a message changes.
    /// - Parameter job: what the ledger knows; nil if it does not know the job.
    public func receive(_ message: NotifierMessage, for job: LedgerJob?) -> IssuingDecision {
        if let job, job.forgottenAt != nil { return receive(message, forForgotten: job) }
        return switch message {
        case .job(let order, _, _): receive(order, for: job)
        case .event(let event, _) where event.kind == .suspect: suspect(event, for: job)
        case .event(let event, _): receive(event, for: job)
        case .marker(let marker): receive(marker, for: job)
        case .deadBaton(let baton, let cause): deadLetter(baton, cause, for: job)
        // An order is about many jobs, or none: the ledger splits it by job.
        case .order, .unreadable: IssuingDecision(job: job, actions: [.note(.nothingNew)])
        }
    }

    /// Events of the round that was forgotten are not kept. A later round means that the ledger is an older copy: the
    /// job is learned anew, or its upload would be lost.
    private func receive(_ message: NotifierMessage, forForgotten job: LedgerJob) -> IssuingDecision {
        let told: Baton? =
            switch message {
            case .event(let event, _): event.data.baton
            case .deadBaton(let baton, _): baton
            case .job, .marker, .order, .unreadable: nil
            }
        guard let told, told.round > job.round else {
            return IssuingDecision(job: job, actions: [.note(.forgotten)])
        }
        return receive(message, for: nil)
    }

    private func receive(_ order: UploadJob, for known: LedgerJob?) -> IssuingDecision {
        guard var job = known else {
            var job = LedgerJob(Baton(job: order), isWhole: true, at: order.enqueuedAt)
            job.raiseGeneration(to: fence)
            return enterLine(job)
        }
        guard !job.isWhole, !job.needsNoBytes else { return IssuingDecision(job: job, actions: [.note(.nothingNew)]) }
        job.learn(order)
        return IssuingDecision(job: job)
    }

    private func receive(_ marker: IssueMarker, for known: LedgerJob?) -> IssuingDecision {
        guard var job = known, let wish = job.wish, wish.marker.id == marker.id else {
            return IssuingDecision(job: known, actions: [.note(.staleMarker)])
        }
        guard job.isWhole else { return IssuingDecision(job: job, actions: [.note(.orderIncomplete)]) }
        job.wish = nil
        guard wish.marker.round == job.round, wish.marker.generation == job.generation else {
            return IssuingDecision(job: job, actions: [.note(.staleMarker)])
        }
        guard job.end == nil || wish.verb?.beginsRound == true else {
            return IssuingDecision(job: job, actions: [.note(.roundHasEnded)])
        }
        return grant(wish, of: job)
    }
}
