import Foundation
import Uploads

/// One upload of a local queue, as its file holds it: the whole baton, and how it stands. What follows from what is decided here, in
/// values; nothing in it reads a file or a clock.
struct LocalJob: Codable, Hashable, Sendable {
    /// Generations in a row that were begun and died without progress, after which the next runs with nothing beside it.
    static let runsAloneAfter = 2
    /// After so many it is given up.
    static let poisonedAfter = 5
    /// Seconds until what its slice abandoned is tried again.
    static let abandonedDelay: TimeInterval = 5

    /// With the whole order, unlike what events carry.
    var baton: Baton
    var lane: Lane
    /// Not given out before; nil: at once.
    var dueAt: Date?
    /// Whether somebody works on it, or did when the process died.
    var isClaimed = false
    var isPaused = false
    /// Whether the current generation was told to work.
    var isStarted = false
    /// Whether the current generation has brought something that a later one goes on from.
    var hasProgressed = false
    var poisonCount = 0
    /// With what the current generation began.
    private var initialState: UploadState?
    private var initialBytesSent: Int64 = 0
    /// The round's outcome, under its own id.
    var end: UploadEvent?
    /// Set once the outcome is noted where it is told from: a failed upload is kept until then, to be run again.
    var keptUntil: Date?

    init(_ job: UploadJob) {
        baton = Baton(job: job)
        lane = job.priority
        dueAt = job.notBefore
    }

    var id: JobID { baton.job.id }

    /// Whether it may be given out.
    func isReady(at now: Date) -> Bool {
        end == nil && !isClaimed && (!isPaused || baton.isCancel) && (dueAt ?? now) <= now
    }

    /// Whether its outcome is known and not noted.
    var isToBeNoted: Bool { end != nil && keptUntil == nil }
}

// MARK: What a slice brings

extension LocalJob {
    mutating func claim() {
        isClaimed = true
        dueAt = nil
    }

    /// The current generation works.
    mutating func start(state: UploadState?, at now: Date) -> UploadEvent {
        isStarted = true
        if let state { baton.state = state }
        baton.startedAt = baton.startedAt ?? now
        return UploadEvent(kind: .started, of: baton, at: now)
    }

    mutating func progress() {
        hasProgressed = true
        poisonCount = 0
    }

    /// Takes over how a slice of the current generation settled, by the same plan as every queue.
    /// - Returns: what is to be told; for an end the outcome, which is then in ``end``.
    mutating func settle(_ slice: SettledSlice, from lane: Lane, at now: Date) -> UploadEvent? {
        let plan = SettlementPlan(slice, of: baton, from: lane, now: now)
        isClaimed = false
        guard plan.acknowledges else {
            // Nobody knows how far it came: as if its process had died, but that it did not.
            issue()
            dueAt = now + Self.abandonedDelay
            return nil
        }
        if let onward = plan.onward {
            baton = onward.baton
            self.lane = onward.lane
            dueAt = onward.delay.map { now + $0 }
            if baton.state != nil, baton.state != initialState || baton.bytesSent > initialBytesSent { progress() }
            guard plan.event?.kind == .paused else { return plan.event }
            dueAt = nil
            // Lifted while the slice was on its way to obey.
            return isPaused ? plan.event : UploadEvent(kind: .enqueued, of: baton, at: now)
        }
        if let event = plan.event { finish(event) }
        return end
    }

    /// Its process died while somebody had claimed it: it is issued anew, never blindly repeated, and given up where that has
    /// happened too often without progress.
    mutating func recover(at now: Date) {
        guard isClaimed, end == nil else { return }
        if isStarted, !hasProgressed { poisonCount = poisonCount.addingSaturating(1) }
        guard poisonCount < Self.poisonedAfter else {
            let error = UploadError(
                .poisoned,
                """
                the program stopped \(poisonCount) times while it worked on this upload, without any progress; look for the \
                reason in its log, then resume the upload
                """)
            finish(UploadEvent(outcome: .failed(error, state: baton.state), of: baton, at: now))
            return
        }
        issue()
    }

    /// The next generation, with what is known of it: it asks the destination first.
    private mutating func issue() {
        baton.generation += 1
        baton.slice = 0
        baton.idleWaits = 0
        baton.runsAlone = poisonCount >= Self.runsAloneAfter
        isClaimed = false
        dueAt = nil
        lane = baton.isCancel || lane == .urgent ? .urgent : baton.state == nil ? baton.job.priority : .continued
        beginCounting()
        guard baton.isCancel else { return }
        // No other slice is under way when this one is given out, so that it need not wait for one to have heard.
        baton.slice = 1
        baton.idleWaits = 1
    }

    private mutating func beginCounting() {
        isStarted = false
        hasProgressed = false
        baton.state = baton.state?.touched
        initialState = baton.state
        initialBytesSent = baton.bytesSent
    }

    private mutating func finish(_ event: UploadEvent) {
        // Events show the order redacted.
        let order = baton.job
        baton = event.data.baton
        baton.job = order
        isClaimed = false
        dueAt = nil
        isPaused = false
        end = event.asOutcome
        keptUntil = nil
    }
}

// MARK: What is ordered

extension LocalJob {
    /// - Throws: `rejected` for what cannot be ordered as it stands.
    func check(_ verb: Verb) throws(UploadError) {
        func refuse(_ why: String) -> UploadError { UploadError(.rejected, "the upload \(id) \(why)") }
        if verb == .runAgain {
            guard let end else { throw refuse("has not ended; it can be resumed when it has failed") }
            guard end.kind == .failed else { throw refuse("has ended as \(end.kind.rawValue): start it anew") }
            return
        }
        if verb == .forget {
            throw refuse("is forgotten by itself when its outcome was told; only a notifier forgets by order")
        }
        if let end { throw refuse("has ended as \(end.kind.rawValue)") }
        if baton.isCancel, verb != .cancel { throw refuse("is being cancelled") }
        if verb == .resume, !isPaused { throw refuse("is not paused") }
        if verb == .runNow, isClaimed, isStarted { throw refuse("is running already") }
    }

    /// Does what was ordered; what cannot be done any more is dropped.
    /// - Parameter hasBegun: whether the slice that has claimed it works, and does not only wait for its turn.
    /// - Returns: what is to be told.
    mutating func obey(_ order: LocalOrder, hasBegun: Bool, at now: Date) -> UploadEvent? {
        do throws(UploadError) { try check(order.verb) } catch { return nil }
        switch order.verb {
        case .cancel:
            guard !baton.isCancel else { return nil }
            baton.isCancel = true
            isPaused = false
            issue()
            return nil
        case .pause:
            guard !isPaused else { return nil }
            isPaused = true
            // One at work stops at the end of its parts, and says so once more.
            return UploadEvent(kind: .paused, of: baton, at: now)
        case .resume, .runNow:
            isPaused = false
            if order.verb == .runNow { lane = .urgent }
            if !isClaimed {
                dueAt = nil
            } else if order.verb == .runNow, !hasBegun {
                issue()
            }
            return UploadEvent(kind: isClaimed && hasBegun ? .started : .enqueued, of: baton, at: now)
        // Refused where it is given: only the notifier carries it out.
        case .discard, .forget: return nil
        case .runAgain:
            guard baton.round < order.round ?? .max else { return nil }
            var next = Baton(job: baton.job, round: baton.round + 1, generation: baton.generation + 1)
            next.state = baton.state
            next.unknown = baton.unknown
            baton = next
            end = nil
            keptUntil = nil
            poisonCount = 0
            dueAt = nil
            lane = next.state == nil ? next.job.priority : .continued
            beginCounting()
            return UploadEvent(kind: .enqueued, of: baton, at: now)
        }
    }
}
