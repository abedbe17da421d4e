public import Foundation

/// Keeps jobs away from a destination that keeps failing, so that they wait without using up their attempts and without
/// holding slots that others could use. A pure value: facts and times in, admissions out. The times are of one clock that never steps.
///
/// It opens at once for what every job would meet, and else when several jobs in a row met nothing but failures of the destination's
/// side. It stays open for a jittered time that grows, then lets one slice through as a trial. What opened it is an ability that the
/// destination has lost; only a proof of that ability, or of one that includes it, closes the circuit.
public struct Circuit: Sendable {
    /// What lets a slice through, and names the time that its evidence belongs to.
    public struct Pass: Hashable, Sendable {
        let turn: Int
        /// What is to be proven in a trial.
        public let ability: DestinationAbility
        /// Whether the slice is to find out if the destination works again. Until it has, its failures are no attempts: without
        /// the trial it would have waited.
        public let isTrial: Bool
    }

    public enum Admission: Hashable, Sendable {
        case granted(Pass)
        /// Not before this time; the error says why.
        case refused(until: Date, UploadError)
    }

    /// Failures in a row of one ability.
    private struct Losses: Hashable, Sendable {
        var count = 0
        var jobs: Set<JobID> = []
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
    private var losses: [DestinationAbility: Losses] = [:]
    /// What it was opened for.
    private var lost = DestinationAbility.reach
    /// Whether it was opened by what every job would meet.
    private var isEverybodys = false
    /// When something was last written.
    public private(set) var servedAt: Date?
    /// When a slice was last let through because of an operator's order.
    private var orderedAt: Date?
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
    public var isPristine: Bool { phase == .closed && losses.isEmpty }

    /// A slice wants to begin. What was granted is given back by `leave`.
    /// - Parameter isOrdered: whether an operator has just asked for it to run or to be cancelled: then it may try though the circuit is
    ///   open, one in each ``CircuitRules/openMinimum``.
    public mutating func admit(at now: Date, isOrdered: Bool = false) -> Admission {
        if isOrdered, case .open = phase, orderedAt.map({ now >= $0 + rules.openMinimum }) ?? true {
            orderedAt = now
            phase = .open(until: now)
        }
        switch phase {
        case .closed: return .granted(pass(isTrial: false))
        case .open(let until) where now < until: return .refused(until: until, refusal)
        case .halfOpen(let since) where now < since + rules.trialMaximum:
            let until = now + rules.openMinimum
            return .refused(until: until, refusal)
        case .open, .halfOpen:
            phase = .halfOpen(since: now)
            return .granted(pass(isTrial: true))
        }
    }

    /// What a slice saw.
    public mutating func note(_ evidence: CircuitEvidence, by job: JobID, with pass: Pass, at now: Date) {
        guard pass.turn == turn else { return }
        switch evidence {
        case .works(let ability): prove(ability, at: now)
        case .broken(let ability, let error): lose(ability, error, isEverybodys: true, at: now)
        case .failing(let ability, let error):
            switch phase {
            case .open: break
            case .halfOpen: lose(ability, error, isEverybodys: false, at: now)
            case .closed:
                lastError = error
                var losses = losses[ability] ?? Losses()
                losses.count = min(losses.count + 1, rules.failuresToOpen)
                if losses.jobs.count < rules.jobsToOpen { losses.jobs.insert(job) }
                self.losses[ability] = losses
                if losses.count >= rules.failuresToOpen, losses.jobs.count >= rules.jobsToOpen {
                    lose(ability, error, isEverybodys: false, at: now)
                }
            }
        }
    }

    private mutating func prove(_ ability: DestinationAbility, at now: Date) {
        if ability == .write { servedAt = now }
        losses = losses.filter { $0.key > ability }
        guard phase == .closed || lost <= ability else { return }
        phase = .closed
        lost = .reach
        openings = 0
        if losses.isEmpty { lastError = nil }
    }

    /// A trial may find out more than what it was sent for, and never less.
    private mutating func lose(
        _ ability: DestinationAbility, _ error: UploadError, isEverybodys: Bool, at now: Date
    ) {
        if case .open = phase { return }
        lost = phase == .closed ? ability : max(lost, ability)
        lastError = error
        self.isEverybodys = isEverybodys
        open(after: error, at: now)
    }

    private func pass(isTrial: Bool) -> Pass { Pass(turn: turn, ability: lost, isTrial: isTrial) }

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

    /// What jobs are told that wait: the last failure's code; and its words, where they are about the destination and not about another job.
    public var refusal: UploadError {
        let detail = isEverybodys ? lastError.map { " (\($0.message))" } ?? "" : ""
        return UploadError(lastError?.code ?? .serverFailure, "\(reason)\(detail): look at it")
    }

    private var reason: String {
        switch lastError?.code {
        case .noSpace?: "the destination has no space left"
        case .destinationAway?: "the destination is not there, or takes nothing"
        case .wrongCredentials?, .notAuthenticated?: "the destination refuses its credentials"
        case .accessDenied?: "the destination refuses job after job"
        case .misconfigured?: "the destination cannot be used as it is configured"
        case .rateLimited?: "the destination asks for fewer requests"
        default: "the destination keeps failing"
        }
    }
}
