import Foundation

extension LedgerJob {
    /// A job that is known from an event alone. What redaction may have cut cannot be told from what was never there.
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

    /// Whether its turn in a line has come, and it is paused where nobody works on it. One that is queued may be taken at this moment.
    var isHeldInLine: Bool {
        line == .released && isPaused && end == nil && !isCancelling && (status == .paused || status == .waiting)
    }

    /// Whether no worker was ever given it: it waits in its line since it was enqueued, or its turn has come and its marker has not. Its
    /// first baton has generation 2, and the control log would name a higher one.
    var wasNeverIssued: Bool {
        end == nil && round == 1 && generation == 1 && (line == .waiting || line == .releasing)
    }

    mutating func learn(_ order: UploadJob) {
        baton.job = order
        isWhole = true
    }

    /// Takes over what a baton says, but for the order: that is immutable, and events show it redacted. Only what was found of an
    /// object is added to it, and the place where it goes once its own was taken.
    mutating func merge(_ told: Baton) {
        let order = baton.job.known(like: told.job)
        baton = told
        baton.job = order
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

    /// A new state, or more bytes in the session that the state names: what the session holds belongs to the state.
    func isProgress(_ told: Baton) -> Bool {
        guard let state = told.state else { return false }
        return state != initialState || told.bytesSent > initialBytesSent
    }

    /// The control log knows of a higher generation than the ledger: an older copy of the ledger was put back, or it
    /// was lost.
    ///
    /// A log may name more than a message may carry: then no generation is left for the job, and it cannot be issued any more.
    mutating func raiseGeneration(to lowest: Int) {
        let lowest = min(lowest, WireLimits.countMaximum)
        guard lowest > generation else { return }
        baton.generation = lowest
        baton.slice = 0
        startCounting()
    }

    /// A worker holds a baton that this ledger has not issued: it was lost, or an older copy was put back.
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

    /// - Parameter verb: what it is begun for, where an operator ordered that.
    mutating func beginGeneration(_ generation: Int, roundOf verb: Verb?, at time: Date) {
        if let verb, verb.beginsRound {
            let state = baton.state
            let unknown = baton.unknown
            // Nothing of it is there any more: it may be another object that is carried now.
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
    }

    private mutating func startCounting() {
        isSliceStarted = false
        hasProgressed = false
        // Of a generation that is issued anew, another may have touched it.
        baton.state = baton.state?.touched
        initialState = baton.state
        initialBytesSent = baton.bytesSent
    }
}
