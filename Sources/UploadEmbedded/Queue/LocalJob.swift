import Foundation
import Uploads

/// One upload of a local queue, as its file holds it: the whole baton, and its state. Decisions are pure: they return
/// values, and read no file and no clock.
struct LocalJob: Codable, Hashable, Sendable {
    /// After this many generations in a row that began and died without progress, the next one runs alone.
    static let runsAloneAfter = 2
    /// After this many the upload is given up.
    static let poisonedAfter = 5
    /// Seconds until an upload that its slice abandoned is tried again.
    static let abandonedDelay: TimeInterval = 5

    /// With the whole job; events carry it redacted.
    var baton: Baton
    var lane: Lane
    /// The baton is not issued before this time; nil: at once.
    var dueAt: Date?
    /// Whether a slice works on it, or did when the process died.
    var isClaimed = false
    var isPaused = false
    /// Whether the slice of the current generation began to work.
    var isStarted = false
    /// Whether the current generation made progress that a later one can use.
    var hasProgressed = false
    var poisonCount = 0
    /// The state with which the current generation began.
    private var initialState: UploadState?
    private var initialBytesSent: Int64 = 0
    /// The round's outcome, under its own id.
    var end: UploadEvent?
    /// Set once the outcome is recorded in the client's store: a failed upload is kept until this time, so that it can
    /// run again.
    var keptUntil: Date?

    init(_ job: UploadJob) {
        baton = Baton(job: job)
        lane = job.priority
        dueAt = job.notBefore
    }

    var id: JobID { baton.job.id }

    /// Whether the baton may be issued.
    func isReady(at now: Date) -> Bool {
        end == nil && !isClaimed && (!isPaused || baton.isCancel) && (dueAt ?? now) <= now
    }

    /// Whether the outcome is known and not recorded yet.
    var isToBeNoted: Bool { end != nil && keptUntil == nil }
}

// MARK: Slices

extension LocalJob {
    mutating func claim() {
        isClaimed = true
        dueAt = nil
    }

    /// Notes that the slice of the current generation works.
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

    /// Applies the settlement of a slice of the current generation, by the same plan as every queue.
    /// - Returns: the event to report; for an end the outcome, which ``end`` then holds.
    mutating func settle(_ slice: SettledSlice, from lane: Lane, at now: Date) -> UploadEvent? {
        let plan = SettlementPlan(slice, of: baton, from: lane, now: now)
        isClaimed = false
        guard plan.acknowledges else {
            // It is not known how far the slice came: treated like the death of its process, but not counted as one.
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
            // The pause was lifted before the slice had stopped.
            return isPaused ? plan.event : UploadEvent(kind: .enqueued, of: baton, at: now)
        }
        if let event = plan.event { finish(event) }
        return end
    }

    /// Recovers an upload whose process died while a slice had claimed it: it is issued anew and checked against the
    /// destination, not blindly repeated. It is given up after too many deaths without progress.
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

    /// Issues the next generation with the known state: it asks the destination first.
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
        // When this generation is issued, no other slice is under way, so it need not wait until one knows of the
        // cancellation.
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
        // Events show the job redacted.
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

// MARK: Orders

extension LocalJob {
    /// - Throws: `rejected` for an order that the upload's state does not allow.
    func check(_ verb: Verb) throws(UploadError) {
        func refuse(_ why: String) -> UploadError { UploadError(.rejected, "the upload \(id) \(why)") }
        if verb == .runAgain {
            guard let end else { throw refuse("has not ended; it can be resumed when it has failed") }
            guard end.kind == .failed else { throw refuse("has ended as \(end.kind.rawValue): start it anew") }
            return
        }
        if verb == .forget {
            throw refuse("is forgotten by itself when its outcome was delivered; only a notifier forgets by order")
        }
        if let end { throw refuse("has ended as \(end.kind.rawValue)") }
        if baton.isCancel, verb != .cancel { throw refuse("is being cancelled") }
        if verb == .resume, !isPaused { throw refuse("is not paused") }
        if verb == .runNow, isClaimed, isStarted { throw refuse("is running already") }
    }

    /// Applies an order; an order that the state no longer allows is dropped.
    /// - Parameter hasBegun: whether the slice that has claimed the upload works, and does not only wait for its turn.
    /// - Returns: the event to report.
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
            // A working slice stops at the end of its parts, and then reports the pause again.
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
        // `check` has refused these: only the notifier carries them out.
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
