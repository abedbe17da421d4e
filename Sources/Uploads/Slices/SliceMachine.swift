public import Foundation

/// Decides one slice: what is done at the destination and how the delivery settles. Facts in, actions out; no I/O, no
/// clock, and the same seed decides the same.
///
/// One step is under way at a time; only parts run side by side. Before each step the machine asks whether the baton
/// still counts, so that a superseded slice touches nothing. In whatever order the facts come, the machine settles
/// exactly once and in bounded steps.
public struct SliceMachine: Hashable, Sendable {
    public let baton: Baton
    public let rules: SliceRules
    /// Whether another clock has confirmed the one that `now` comes from: otherwise no job's time is over.
    let isClockConfirmed: Bool

    var phase = Phase.notBegun
    var now = Date.distantPast
    var random: SeededGenerator

    /// The open session, as far as it is known.
    public internal(set) var state: UploadState? { didSet { state?.isUntouched = false } }
    /// Whether the session is as the previous slice opened it. False for an issued baton, which may follow a slice that
    /// was lost.
    var isUntouched: Bool
    /// Whether this slice has claimed the source: before that nothing has begun.
    public internal(set) var hasStarted = false
    var destination: DestinationFacts?
    /// The ability that the slice has to prove as a trial, until it has proved it.
    var trial: DestinationAbility?
    /// The same of the place that the source object is read from.
    var sourceTrial: DestinationAbility?
    var condition = WriteCondition.none

    var isPaused = false
    var yieldReason: YieldReason?
    var isSliceTimeUp = false
    /// Whether the worker's grace is used up, and only the last answers are taken.
    var isAbandoned = false
    /// Set when the time for uncut steps ran out while one was under way.
    var uncutError: UploadError?

    var sending = Sending()
    /// Whether a byte may have reached the destination in this slice, so that a failure leaves a doubt.
    var hasSent = false
    var completions = 0
    var openings = 0
    var isSourceGone = false
    /// Whether the source is open.
    var hasSource = false
    /// The finished object that is read back, and how far.
    var readBack: ReadBack?
    /// The completed upload while it is read back.
    var unverified: CompletedUpload?
    /// Whether a block was compared in this slice.
    var hasCompared = false
    /// How often the object changed while it was read back.
    var rereadings = 0

    /// The machine of one delivery.
    /// - Parameters:
    ///   - isClockConfirmed: whether the clock that dates the facts is known to be right (``ClockComparison``).
    ///   - seed: the seed of the jitter.
    public init(
        baton: Baton, rules: SliceRules = SliceRules(), isClockConfirmed: Bool = true,
        seed: UInt64 = .random(in: 0 ... .max)
    ) {
        self.baton = baton
        self.rules = rules
        self.isClockConfirmed = isClockConfirmed
        self.state = baton.state?.session
        self.isUntouched = baton.state?.isUntouched == true && !baton.isIssued
        self.readBack = baton.state?.readBack
        self.condition = baton.job.ifExists == .replace ? .none : .absent
        self.random = SeededGenerator(seed: seed)
    }

    public var isSettled: Bool { phase == .settled }

    /// Takes in a fact and answers what to do. A fact that answers no open request is ignored: it came late.
    public mutating func handle(_ fact: SliceFact, at now: Date) -> [SliceAction] {
        self.now = now
        guard !isSettled else { return [] }
        switch fact {
        case .lost(let validity): return lose(validity)
        case .yieldRequested(let reason):
            // A drain outweighs a preemption: a drained slice may also finish an upload that is nearly done.
            if yieldReason != .drain { yieldReason = reason }
            return stopHere()
        case .yieldOverdue: return phase == .sending ? cutParts() : withdrawTurn()
        case .sliceTimeReached:
            isSliceTimeUp = true
            return stopHere()
        case .uncutTimeReached: return cutLongStep()
        case .uncutTimeTooShort(let bytesDone, let seconds): return cutHopelessStep(bytesDone, seconds)
        case .graceUsedUp: return abandonStep()
        case .lastAnswersDue: return isAbandoned ? abandonStep() : []
        default:
            endTrial(by: fact)
            return advance(fact)
        }
    }

    private mutating func endTrial(by fact: SliceFact) {
        if let sourceTrial, fact.showsSourceWorks, CircuitEvidence.read >= sourceTrial { self.sourceTrial = nil }
        guard let trial else { return }
        let evidence = CircuitEvidence(fact, of: baton.job.destination, isWrite: phase.isWrite)
        if case .works(let ability)? = evidence, ability >= trial { self.trial = nil }
    }

    private mutating func advance(_ fact: SliceFact) -> [SliceAction] {
        switch (phase, fact) {
        // That the object is broken must stay noted, or the next worker might take it for a success.
        case (.probing(let purpose), .turnWithdrawn) where purpose.isOfBroken:
            return probeFailed(withdrawnError, for: purpose)
        case (_, .turnWithdrawn): return settle(earlySettlement ?? .handOver(state))
        case (.notBegun, .begun): return check(then: .begin)
        case (.validity(let step), .validity(let validity)): return perform(step, validity: validity)
        case (.tellingStarted, .toldStarted): return find()
        // The start was not confirmed: the connection is gone, and `lost` follows in a moment.
        case (.tellingStarted, .failed): return settle(.abandoned)
        case (.finding, .destinationFound(let facts)): return found(facts)
        case (.finding, .destinationUnknown): return waitForDestination()
        case (.finding, .failed(let error)): return giveUpOrRetry(error, isResolved: true)
        case (.probing(let purpose), .probed(let answer)): return probed(answer, for: purpose)
        case (.probing(let purpose), .failed(let error)): return probeFailed(error, for: purpose)
        case (.examining, _): return examineAnswered(fact)
        case (.claiming, _): return claimAnswered(fact)
        case (.opening, .opened(let session)): return opened(session)
        case (.opening, .failed(let error)): return openFailed(error)
        case (.sending, _): return sendingAnswered(fact)
        case (.completing, .completed(let upload)): return completed(upload)
        case (.completing, .failed(let error)): return completingFailed(error)
        case (.readingBack, _): return readBackAnswered(fact)
        case (.discarding(let next), .discarded):
            state = nil
            return discarded(next, error: nil)
        case (.discarding(let next), .failed(let error)): return discarded(next, error: error)
        case (.removingCopy, .stagedCopyRemoved): return settle(.ended(.cancelled))
        case (.removingCopy, .failed(let error)): return giveUpOrRetry(error, isResolved: true)
        default: return []
        }
    }
}
