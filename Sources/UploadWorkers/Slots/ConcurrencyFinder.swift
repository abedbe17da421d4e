/// Finds how many jobs a worker should have under way at one destination: a pure value. Times are of one clock that never steps.
///
/// It measures in rounds how much work ends in a second, but only while as many jobs run as may, since nothing else shows what more jobs
/// would bring.
/// - It begins with ``begin`` jobs and doubles them as long as that brings at least a fifth of what it could bring.
/// - Then it tries the middle between the last two, and the middle below them where the last doubling but one has brought much less than
///   twice the work. It keeps the best, and from now on compares it now and then with a quarter more and a fifth less. Fewer jobs win
///   when they do the same work.
/// - It remembers the best that it has measured, and returns to it when small steps have led away from it.
/// - When the destination is overloaded (it refuses requests for their number, or does not answer) it halves them at once. Then it
///   returns step by step to just below the number that was too much, and tries more than that only every ``patience``.
struct ConcurrencyFinder: Hashable, Sendable {
    /// Jobs at once before anything was measured.
    static let begin = 16
    /// The least duration of a round, while the number still grows and later.
    static let quickRound = Duration.milliseconds(150)
    static let calmRound = Duration.seconds(1)
    /// The time between two trials of another number.
    static let trialInterval = Duration.seconds(5)
    /// How long the number at which the destination was overloaded is not tried again.
    static let patience = Duration.seconds(10)

    private struct Measured: Hashable, Sendable {
        var width: Int
        /// Work a second.
        var rate: Double

        /// What more jobs have brought, as a part of what they could bring: 1 where the work has grown as their number has.
        func gain(from fewer: Measured) -> Double {
            (rate / fewer.rate - 1) / (Double(width) / Double(fewer.width) - 1)
        }
    }

    private enum Phase: Hashable, Sendable {
        /// The number doubles; with the last two that were measured, or fewer.
        case doubling([Measured])
        /// The numbers between those that were measured are tried one after the other.
        case between([Measured], next: [Int])
        /// After an overload.
        case returning
        /// The number is good; the next trial comes at this time.
        case calm(nextTrial: Duration)
        /// A trial goes on; the former number is measured before it and after it.
        case trying(Measured)
        case comparing(before: Measured, trial: Measured)
    }

    private struct Round: Hashable, Sendable {
        /// Jobs that have to end before: they began beside another number of jobs.
        var settling: Int
        var beganAt: Duration?
        var ended = 0
        /// Ends beside which fewer jobs ran than might.
        var idle = 0
        var work = 0.0
    }

    /// Jobs that may be under way at once.
    private(set) var width: Int
    private let most: Int
    private var phase = Phase.doubling([])
    private var round: Round
    private var best: Measured?
    private var isNextTrialMore = true
    /// The number of jobs at which the destination was overloaded lately.
    private var ceiling: Int?
    private var overloadedAt: Duration?
    /// When the ceiling was set or last raised, and how often it was raised.
    private var ceilingAt = Duration.zero
    private var raiseCount = 0
    /// Mean seconds of a job, over the last ones.
    private var meanSeconds = 0.0

    /// - Parameter most: the upper bound, 1 or more.
    init(most: Int) {
        self.most = max(1, most)
        width = min(Self.begin, self.most)
        round = Round(settling: min(Self.begin, self.most))
    }

    /// To be called when a job has ended, whether it arrived or not.
    /// - Parameters:
    ///   - work: what it has brought, in units that are the same for all jobs; 0 for a job that brought nothing.
    ///   - duration: how long it was under way.
    ///   - running: how many jobs ran, this one too.
    mutating func end(work: Double, duration: Duration, beside running: Int, at now: Duration) {
        meanSeconds += (duration / .seconds(1) - meanSeconds) / 16
        // The jobs have run out, and it may be long until more come.
        if running * 2 < width { round = Round(settling: width) }
        let isFull = running >= width
        guard round.settling == 0, let beganAt = round.beganAt else {
            round.settling = isFull ? max(0, round.settling - 1) : width
            if round.settling == 0 { round.beganAt = now }
            return
        }
        round.ended += 1
        round.work += work
        if !isFull { round.idle += 1 }
        let (ends, time) = isQuick ? (max(width, Self.begin), Self.quickRound) : (3 * width, Self.calmRound)
        guard round.ended >= ends, now - beganAt >= time else { return }
        let measured = Measured(width: width, rate: round.work / ((now - beganAt) / .seconds(1)))
        let isUsable = round.idle * 10 <= round.ended
        round = Round(settling: 0, beganAt: now)
        if isUsable { learn(measured, at: now) }
    }

    /// To be called when the destination refuses a request for the number of requests, or does not answer.
    mutating func noteOverload(at now: Duration) {
        // What was under way at the last overload says nothing about the smaller number.
        if let overloadedAt, now - overloadedAt < .seconds(min(30, max(0.5, 2 * meanSeconds))) { return }
        overloadedAt = now
        (ceiling, ceilingAt, raiseCount) = (width, now, 0)
        best = nil
        phase = .returning
        set(max(1, width / 2))
    }

    private var isQuick: Bool {
        switch phase {
        case .doubling, .between, .returning: true
        case .calm, .trying, .comparing: false
        }
    }

    /// The most that is tried now: nine tenths of what was too much.
    private var bound: Int { ceiling.map { min(most, max(1, $0 * 9 / 10)) } ?? most }

    private mutating func set(_ width: Int) {
        let former = self.width
        self.width = min(most, max(1, width))
        round = Round(settling: max(1, min(former, self.width)))
    }

    private mutating func learn(_ measured: Measured, at now: Duration) {
        switch phase {
        case .doubling(let former):
            let all = former + [measured]
            guard let last = former.last, measured.gain(from: last) < 0.2 else { return double(after: all, at: now) }
            var next = [(last.width + measured.width) / 2]
            if let first = former.dropLast().last, last.gain(from: first) < 0.8 {
                next.append((first.width + last.width) / 2)
            }
            phase = .between(all, next: next)
            set(next[0])
        case .between(let former, let next):
            guard next.count > 1 else { return settle(on: former + [measured], at: now) }
            phase = .between(former + [measured], next: Array(next.dropFirst()))
            set(next[1])
        case .returning:
            guard measured.width < bound else { return calm(at: now) }
            set(min(bound, measured.width + max(1, bound / 8)))
        case .calm(let nextTrial):
            remember(measured)
            if relax(at: now) { return double(after: [measured], at: now) }
            guard now >= nextTrial else { return }
            // Small steps that were each worth it may have led away from the best.
            if let best, best.width != measured.width, best.width <= bound, measured.rate < best.rate * 0.9 {
                set(best.width)
                return calm(at: now)
            }
            let trial = isNextTrialMore ? min(bound, max(width + 1, width * 5 / 4)) : max(1, width * 4 / 5)
            isNextTrialMore.toggle()
            guard trial > width || (trial < width && isNextTrialMore) else { return }
            phase = .trying(measured)
            set(trial)
        case .trying(let before):
            phase = .comparing(before: before, trial: measured)
            set(before.width)
        case .comparing(let before, let trial):
            let rate = (before.rate + measured.rate) / 2
            let isMore = trial.width > measured.width
            if trial.rate > rate * (isMore ? 1.02 : 0.99) {
                isNextTrialMore = isMore
                set(trial.width)
            }
            calm(at: now)
        }
    }

    private mutating func double(after measured: [Measured], at now: Duration) {
        guard width < bound else { return settle(on: measured.suffix(1), at: now) }
        phase = .doubling(measured.suffix(2))
        set(min(bound, width * 2))
    }

    /// Goes on with the least number that does nearly as much as the best.
    private mutating func settle(on measured: [Measured], at now: Duration) {
        let most = measured.map(\.rate).max() ?? 0
        let chosen = measured.filter { $0.rate >= most * 0.95 }.min { $0.width < $1.width }
        best = chosen
        if let chosen { set(chosen.width) }
        calm(at: now)
    }

    private mutating func calm(at now: Duration) { phase = .calm(nextTrial: now + Self.trialInterval) }

    /// The best of the past fades, for the destination changes.
    private mutating func remember(_ measured: Measured) {
        best?.rate *= 0.995
        if let best, best.rate > measured.rate, best.width != measured.width { return }
        best = measured
    }

    /// After a while without an overload, a little more may be tried, and ever more each time: after an outage the number has come back
    /// within three minutes.
    private mutating func relax(at now: Duration) -> Bool {
        guard let ceiling, now - ceilingAt >= Self.patience else { return false }
        let raised = ceiling + max(1, ceiling >> max(0, 4 - 2 * raiseCount))
        (self.ceiling, ceilingAt, raiseCount) = (raised * 9 / 10 < most ? raised : nil, now, raiseCount + 1)
        return true
    }
}
