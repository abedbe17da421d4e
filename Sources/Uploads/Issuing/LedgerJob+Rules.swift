import Foundation

extension LedgerJob {
    /// A job that is known from an event alone. Where redaction may have cut something, the order is not whole.
    init(learnedFrom baton: Baton, at time: Date) {
        let isInlineCut = if case .inline = baton.job.source { baton.job.size > 0 } else { false }
        let isURL = if case .url = baton.job.destination { true } else { false }
        let isURLSource = if case .object(.url, _) = baton.job.source { true } else { false }
        self.init(baton, isWhole: !isInlineCut && !isURL && !isURLSource, at: time)
    }

    /// The wish, if it is of the current generation.
    var openWish: IssueWish? {
        guard let wish, wish.marker.round == round, wish.marker.generation == generation else { return nil }
        return wish
    }

    /// Whether its turn in a line has come, and it is paused while no worker works on it. A queued job does not count:
    /// a worker may be taking it at this moment.
    var isHeldInLine: Bool {
        line == .released && isPaused && end == nil && !isCancelling && (status == .paused || status == .waiting)
    }

    /// Whether no worker ever had it: it has waited in its line since it was enqueued, or its turn has come and its
    /// marker has not been read back. Its first baton has generation 2, and the control log would name a higher one.
    var wasNeverIssued: Bool {
        end == nil && round == 1 && generation == 1 && (line == .waiting || line == .releasing)
    }

    /// Whether its inline bytes have arrived at their destination: a ledger that kept them would grow by every small file.
    package var needsNoBytes: Bool {
        if case .inline = baton.job.source { end?.kind == .completed && baton.job.size > 0 } else { false }
    }

    mutating func learn(_ order: UploadJob) {
        baton.job = order
        isWhole = true
    }

    /// Takes over a reported baton, but not its order, which is immutable and redacted in events. Only the facts about
    /// a source object are added to the order, and the new name once its own was taken.
    mutating func merge(_ told: Baton) {
        baton = baton.merging(told)
        baton.onlyRemovesCopy = false
        if told.isCancel { isCancelling = true }
    }

    mutating func tell(_ status: LedgerStatus, at time: Date) {
        self.status = status
        since = time
        waitingUntil = nil
        reason = nil
        trouble = nil
    }

    /// Whether a baton shows progress: a new state, or more bytes sent into the session that the state names.
    func isProgress(_ told: Baton) -> Bool {
        guard let state = told.state else { return false }
        return state != initialState || told.bytesSent > initialBytesSent
    }

    /// Raises the generation to the fence. The control log names a higher generation than the ledger if the ledger was
    /// lost, or an older copy of it was put back.
    ///
    /// A log may name more than a message may carry: then no generation is left for the job, and it cannot be issued any more.
    mutating func raiseGeneration(to lowest: Int) {
        let lowest = min(lowest, WireLimits.countMaximum)
        guard lowest > generation else { return }
        baton.generation = lowest
        baton.slice = 0
        startCounting()
    }

    /// Takes over a baton that a worker holds and this ledger has not issued: the ledger was lost, or an older copy of
    /// it was put back.
    mutating func adopt(_ told: Baton, at time: Date) {
        if told.round > round {
            line = baton.job.serial == nil || told.isCancel ? nil : .released
            end = nil
            poisonCount = 0
            isCancelling = false
        }
        wish = nil
        hold = nil
        drops = nil
        if line != nil { line = .released }
        isCancelling = isCancelling || told.isCancel
        merge(told)
        tell(.queued, at: time)
        startCounting()
    }

    /// - Parameter verb: the operator's order that it is begun for; nil if there is none.
    mutating func beginGeneration(_ generation: Int, roundOf verb: Verb?, at time: Date) {
        // Rule 1: lineage. The notifier alone raises round and generation.
        if let verb, verb.beginsRound {
            let state = baton.state
            let unknown = baton.unknown
            // Nothing of the last round is left at the destination, so the source object is looked at anew.
            let job = state == nil ? baton.job.unexamined : baton.job
            baton = Baton(job: job, round: round.addingSaturating(1), generation: generation)
            baton.state = state
            baton.unknown = unknown
            end = nil
            poisonCount = 0
            drops = nil
            isCancelling = verb == .discard
        } else {
            baton.generation = generation
            baton.slice = 0
            baton.idleWaits = 0
            baton.waitingSince = nil
        }
        baton.isCancel = isCancelling
        hold = nil
        tell(.queued, at: time)
        startCounting()
    }

    mutating func end(_ event: UploadEvent) {
        let status: LedgerStatus =
            switch event.kind {
            case .completed: .completed
            case .cancelled: .cancelled
            default: .failed
            }
        tell(status, at: event.data.endedAt ?? event.time)
        wish = nil
        hold = nil
        drops = nil
        line = nil
        end = RoundEnd(kind: event.kind, event: event.id, at: since, error: event.data.error)
        if needsNoBytes { isWhole = false }
    }

    private mutating func startCounting() {
        isSliceStarted = false
        hasProgressed = false
        // A slice of the generation before may have touched the session.
        baton.state = baton.state?.touched
        initialState = baton.state
        initialBytesSent = baton.bytesSent
    }
}
