public import Foundation

/// Keeps jobs away from a destination that keeps failing, so that they wait without using up their attempts and without
/// holding slots that others could use. A pure value: facts and times in, admissions out. All times come from one clock
/// that never steps.
///
/// It opens at once after a failure that every job would meet, otherwise when several jobs in a row met nothing but
/// failures at the destination's side. It stays open for a jittered time that grows, then lets one slice through as a
/// trial. It opens for an ability that the destination has lost; only a proof of that ability, or of one that includes
/// it, closes the circuit.
public struct Circuit: Sendable {
    /// Lets a slice through, and says between which openings of the circuit its evidence belongs.
    public struct Pass: Hashable, Sendable {
        let turn: Int
        /// The ability to prove in a trial.
        public let ability: DestinationAbility
        /// Whether the slice is to find out if the destination works again. Until it has found out, its failures are no
        /// attempts: without the trial the job would have waited.
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

    /// The raw values are those of the metric.
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
    /// How often the circuit has opened: evidence of a slice that was let through before an opening no longer counts.
    public private(set) var turn = 0
    private var losses: [DestinationAbility: Losses] = [:]
    /// The ability that the circuit was opened for.
    private var lost = DestinationAbility.reach
    /// Whether a failure that every job would meet opened the circuit.
    private var concernsEveryJob = false
    /// When a job last wrote something to the destination.
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

    /// Whether the circuit is closed and has counted no failure, so that it may be dropped.
    public var isPristine: Bool { phase == .closed && losses.isEmpty }

    /// Admits a slice or refuses it. The caller gives a granted pass back by `leave`.
    /// - Parameters:
    ///   - isOrdered: whether an operator has just ordered the job to run or to be cancelled: then it may try although the circuit is open,
    ///     one such job in each ``CircuitRules/openMinimum``.
    ///   - ability: what the slice needs of the destination. A circuit that is open for more than that lets it through.
    public mutating func admit(
        at now: Date, isOrdered: Bool = false, for ability: DestinationAbility = .write
    ) -> Admission {
        if phase != .closed, ability < lost { return .granted(pass(isTrial: false)) }
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

    /// Takes in what a slice found out.
    public mutating func note(_ evidence: CircuitEvidence, by job: JobID, with pass: Pass, at now: Date) {
        guard pass.turn == turn else { return }
        switch evidence {
        case .works(let ability): prove(ability, at: now)
        case .broken(let ability, let error): lose(ability, error, concernsEveryJob: true, at: now)
        case .failing(let ability, let error):
            switch phase {
            case .open: break
            case .halfOpen: lose(ability, error, concernsEveryJob: false, at: now)
            case .closed:
                lastError = error
                var losses = losses[ability] ?? Losses()
                losses.count = min(losses.count + 1, rules.failuresToOpen)
                if losses.jobs.count < rules.jobsToOpen { losses.jobs.insert(job) }
                self.losses[ability] = losses
                if losses.count >= rules.failuresToOpen, losses.jobs.count >= rules.jobsToOpen {
                    lose(ability, error, concernsEveryJob: false, at: now)
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

    /// A trial may find that more is lost than the circuit was opened for, never less.
    private mutating func lose(
        _ ability: DestinationAbility, _ error: UploadError, concernsEveryJob: Bool, at now: Date
    ) {
        if case .open = phase { return }
        lost = phase == .closed ? ability : max(lost, ability)
        lastError = error
        self.concernsEveryJob = concernsEveryJob
        open(after: error, at: now)
    }

    private func pass(isTrial: Bool) -> Pass { Pass(turn: turn, ability: lost, isTrial: isTrial) }

    /// Notes that a slice ended. A trial that found out nothing makes way for the next.
    public mutating func leave(_ pass: Pass, at now: Date) {
        guard pass.turn == turn, pass.isTrial, case .halfOpen = phase else { return }
        phase = .open(until: now)
    }

    /// The longest time of the n-th opening, from 1, in seconds.
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

    /// The error that waiting jobs show: the last failure's code, and its message where that is about the destination
    /// and not about another job.
    public var refusal: UploadError {
        let detail = concernsEveryJob ? lastError.map { " (\($0.message))" } ?? "" : ""
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
