public import Foundation

/// Keeps jobs away from a destination that keeps failing, so that they wait without using up their attempts and without
/// holding slots that others could use. A pure value: facts and times in, admissions out.
///
/// It opens when several jobs in a row met nothing but failures of the destination's side, stays open for a jittered time
/// that grows, then lets one slice through as a trial: its first answer closes the circuit or opens it again.
public struct Circuit: Sendable {
    /// What lets a slice through, and names the time that its evidence belongs to.
    public struct Pass: Hashable, Sendable {
        let turn: Int
        /// Whether the slice is to find out if the destination works again. Until it has, its failures are no attempts: without
        /// the trial it would have waited.
        public let isTrial: Bool
    }

    public enum Admission: Hashable, Sendable {
        case granted(Pass)
        /// Not before this time; the error says why.
        case refused(until: Date, UploadError)
    }

    /// The numbers are those of the metric.
    public enum State: Int, Sendable {
        case closed = 0
        case halfOpen = 1
        case open = 2
    }

    private enum Phase: Hashable, Sendable {
        case closed
        case open(until: Date)
        case halfOpen(since: Date)
    }

    public let rules: CircuitRules
    private var phase = Phase.closed
    /// Raised by each opening: what was begun before says nothing about what came after.
    private var turn = 0
    private var failures = 0
    private var failedJobs: Set<JobID> = []
    /// Openings since it was last closed.
    private var openings = 0
    private var lastError: UploadError?
    private var random: SeededGenerator

    /// - Parameter seed: of the jitter.
    public init(rules: CircuitRules = CircuitRules(), seed: UInt64 = .random(in: 0 ... .max)) {
        self.rules = rules
        random = SeededGenerator(seed: seed)
    }

    public var state: State {
        switch phase {
        case .closed: .closed
        case .halfOpen: .halfOpen
        case .open: .open
        }
    }

    /// Until when it is open; nil if it is not.
    public var openUntil: Date? { if case .open(let until) = phase { until } else { nil } }

    /// Whether forgetting it changes nothing.
    public var isPristine: Bool { phase == .closed && failures == 0 }

    /// A slice wants to begin. What was granted is given back by `leave`.
    public mutating func admit(at now: Date) -> Admission {
        switch phase {
        case .closed: return .granted(Pass(turn: turn, isTrial: false))
        case .open(let until) where now < until: return .refused(until: until, waitingError)
        case .halfOpen(let since) where now < since + rules.trialMaximum:
            let until = now + rules.openMinimum
            return .refused(until: until, waitingError)
        case .open, .halfOpen:
            phase = .halfOpen(since: now)
            return .granted(Pass(turn: turn, isTrial: true))
        }
    }

    /// What a slice saw.
    public mutating func note(_ evidence: CircuitEvidence, by job: JobID, with pass: Pass, at now: Date) {
        guard pass.turn == turn else { return }
        switch evidence {
        case .alive:
            phase = .closed
            failures = 0
            failedJobs = []
            openings = 0
            lastError = nil
        case .failing(let error):
            lastError = error
            switch phase {
            case .open: break
            case .halfOpen:
                failures += 1
                open(after: error, at: now)
            case .closed:
                failures = min(failures + 1, rules.failuresToOpen)
                if failedJobs.count < rules.jobsToOpen { failedJobs.insert(job) }
                if failures >= rules.failuresToOpen, failedJobs.count >= rules.jobsToOpen {
                    open(after: error, at: now)
                }
            }
        }
    }

    /// A slice ended. A trial that found out nothing makes way for the next.
    public mutating func leave(_ pass: Pass, at now: Date) {
        guard pass.turn == turn, pass.isTrial, case .halfOpen = phase else { return }
        phase = .open(until: now)
    }

    /// The largest time that the n-th opening lasts, from 1, in seconds.
    func bound(opening: Int) -> TimeInterval {
        min(rules.openMaximum, rules.openMinimum * pow(2, Double(min(max(0, opening), 30))))
    }

    private mutating func open(after error: UploadError, at now: Date) {
        openings += 1
        turn += 1
        var seconds = Double.random(
            in: rules.openMinimum...max(rules.openMinimum, bound(opening: openings)), using: &random)
        if case .after(let wished) = error.retry {
            seconds = max(seconds, min(wished, RetryPolicy.retryAfterMaximum))
        }
        phase = .open(until: now + seconds)
    }

    /// The code of the last failure, but not its words: they speak of another job.
    private var waitingError: UploadError {
        UploadError(
            lastError?.code ?? .serverFailure,
            "the destination keeps failing: look at it; its jobs wait, which uses up no attempt, one of them tries it now and "
                + "then, and all go on by themselves when it answers")
    }
}
