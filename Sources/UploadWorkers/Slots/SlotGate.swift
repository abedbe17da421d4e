import Synchronization
import Uploads

/// Lets deliveries into the worker's slots by the decisions of ``SlotPolicy``.
final class SlotGate: Sendable {
    enum Admission: Hashable, Sendable {
        case granted
        /// The delivery was held up too long, or enough others wait: it goes back to the delay ladder.
        case limited
        /// The worker drains and starts nothing more.
        case draining
    }

    private struct State: Sendable {
        var policy: SlotPolicy
        var waiters: [UInt64: CheckedContinuation<Admission, Never>] = [:]
        /// Decisions that were made before the waiter had arrived.
        var early: [UInt64: Admission] = [:]
        /// When each request that is awaited is looked at next.
        var looks: [UInt64: Alarms.ID] = [:]
        /// By the label of each destination whose limits held jobs up.
        var givenBack: [String: GivenBack] = [:]
        /// When the next job is given back.
        var nextGivenBackAt = Duration.zero
        /// How many jobs at once were last told to `resize`.
        var toldWidth: Int
        /// Whether it is looked at again soon whether `toldWidth` is still far too much.
        var isShrinkDue = false
    }

    /// The time between two jobs that are given back: 1,000 jobs of one destination hold up the jobs behind them in the lane for 2.5 s, and
    /// come again spread over time.
    private static let givingBackInterval = Duration.microseconds(2500)

    /// How long fewer jobs have to be enough before fewer are fetched in advance.
    private static let shrinkDelay = Duration.seconds(10)

    private let state: Mutex<State>
    private let clock: any Clock<Duration>
    private let alarms: Alarms
    private let elapsed: @Sendable () -> Duration
    private let limitPatience: Duration
    private let slotPatience: Duration
    /// The patience of a job that runs alone: it empties the worker, and must not leave before the slowest step has ended.
    private let lonePatience: Duration
    private let preempt: @Sendable (UInt64) -> Void
    private let resize: @Sendable (Int) -> Void

    /// - Parameters:
    ///   - preempt: asks a running slice to hand over.
    ///   - resize: called when clearly more or fewer jobs can be under way at once than before.
    init(
        concurrency: Int, limitPatience: Duration, slotPatience: Duration, lonePatience: Duration,
        crowdPatience: Duration, clock: any Clock<Duration>,
        preempt: @escaping @Sendable (UInt64) -> Void, resize: @escaping @Sendable (Int) -> Void = { _ in }
    ) {
        let policy = SlotPolicy(concurrency: concurrency, crowdPatience: crowdPatience)
        self.state = Mutex(State(policy: policy, toldWidth: policy.width))
        self.limitPatience = limitPatience
        self.slotPatience = slotPatience
        self.lonePatience = lonePatience
        self.clock = clock
        alarms = Alarms(clock: clock)
        elapsed = RateLimiter.stopwatch(clock)
        self.preempt = preempt
        self.resize = resize
    }

    /// Asks for a slot; the caller must then wait in `admission(for:)` for the answer.
    func request(_ request: SlotRequest) { apply { $0.policy.request(request) } }

    /// Waits for the requested slot, but not for long. The caller must release a granted slot.
    func admission(for request: SlotRequest) async -> Admission {
        let id = request.id
        let decided = state.withLock { state in
            let decided = state.early.removeValue(forKey: id)
            if decided == nil { state.looks[id] = nextLook(at: request, waited: .zero) }
            return decided
        }
        if let decided { return decided }
        defer { if let look = state.withLock({ $0.looks.removeValue(forKey: id) }) { alarms.remove(look) } }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let decided = state.withLock { state -> Admission? in
                    if let decided = state.early.removeValue(forKey: id) { return decided }
                    state.waiters[id] = continuation
                    return nil
                }
                if let decided { continuation.resume(returning: decided) }
            }
        } onCancel: {
            withdraw(id, as: .draining)
        }
    }

    /// - Parameter work: what the slice has done, in units that are the same for all jobs.
    func release(_ request: SlotRequest, work: Double = 0) {
        apply { state in
            state.givenBack[request.destination]?.end(
                at: elapsed(), isCrowded: state.policy.isCrowded(request.destination))
            return state.policy.release(request.id, work: work)
        }
    }

    /// Takes note that a destination refused a request for the number of requests, or did not answer.
    func noteOverload(at destination: String) {
        apply { state in
            state.policy.noteOverload(at: destination)
            return []
        }
    }

    /// Jobs that have a slot.
    var runningCount: Int { state.withLock { $0.policy.runningCount } }

    /// How many jobs the destination takes at once from this worker; nil for one that had none.
    func width(at destination: String) -> Int? { state.withLock { $0.policy.width(at: destination) } }

    /// Takes note whether a slice waits for a destination's limit of bytes or requests.
    func note(isWaiting: () -> Bool, at destination: String) {
        apply { $0.policy.note(isWaiting: isWaiting(), at: destination) }
    }

    /// For a request that was refused as `limited`: returns when the job may be given back, with the reason.
    func giveBack(_ request: SlotRequest) async -> Refusal {
        let (refusal, wait) = state.withLock { state in
            let now = elapsed()
            let at = max(now, state.nextGivenBackAt)
            state.nextGivenBackAt = at + Self.givingBackInterval
            let occupancy = state.policy.occupancy(at: request.destination)
            var flow = state.givenBack[request.destination] ?? GivenBack(seed: request.id)
            defer { state.givenBack[request.destination] = flow }
            let seconds = flow.delay(expected: request.expectedSeconds, idleWaits: request.idleWaits, at: now)
            let ahead = occupancy.waiting + flow.count(at: now, within: seconds)
            let refusal = Refusal(
                seconds: seconds, running: occupancy.running, ahead: ahead,
                isForSlot: !state.policy.isAtLimit(request.kind),
                width: state.policy.isFull(request.kind) ? state.policy.width(at: request.destination) : nil)
            return (refusal, at - now)
        }
        if wait > .zero { try? await clock.sleep(for: wait) }
        return refusal
    }

    /// Why a job is given back.
    struct Refusal: Hashable, Sendable {
        /// Seconds after which the job may come again.
        var seconds: Double
        /// Jobs of its destination that run in this worker.
        var running: Int
        /// Jobs of its destination that this worker knows and that come before this job.
        var ahead: Int
        /// Whether only a slot of the worker was missing.
        var isForSlot: Bool
        /// How many jobs the destination takes at once, if so many run.
        var width: Int?
    }

    /// Refuses all waiting requests, and all later ones.
    func drain() { apply { $0.policy.drain() } }

    private func patience(of request: SlotRequest) -> Duration { request.runsAlone ? lonePatience : slotPatience }

    private func nextLook(at request: SlotRequest, waited: Duration) -> Alarms.ID {
        let nap = min(limitPatience, patience(of: request) - waited)
        return alarms.set(after: nap) { [weak self] in self?.look(at: request, waited: waited + nap) }
    }

    /// Looks at a waiting request, until its patience ends.
    private func look(at request: SlotRequest, waited: Duration) {
        let (isAwaited, isHeldByLimit) = state.withLock { state in
            (state.looks[request.id] != nil, state.policy.isHeldByLimit(request.id))
        }
        guard isAwaited else { return }
        if !isHeldByLimit { apply { _ in [] } }
        guard !isHeldByLimit, waited < patience(of: request) else { return withdraw(request.id, as: .limited) }
        state.withLock { state in
            if state.looks[request.id] != nil { state.looks[request.id] = nextLook(at: request, waited: waited) }
        }
    }

    private func withdraw(_ id: UInt64, as admission: Admission) {
        let (continuation, decisions) = state.withLock { state in
            let (wasWaiting, decisions) = state.policy.withdraw(id)
            guard wasWaiting else { return (CheckedContinuation<Admission, Never>?.none, decisions) }
            if let waiter = state.waiters.removeValue(forKey: id) { return (waiter, decisions) }
            state.early[id] = admission
            return (nil, decisions)
        }
        continuation?.resume(returning: admission)
        apply { _ in decisions }
    }

    private func apply(_ decide: (inout State) -> [SlotPolicy.Decision]) {
        var admitted: [(CheckedContinuation<Admission, Never>, Admission)] = []
        var preempted: [UInt64] = []
        let newWidth = state.withLock { state -> Int? in
            let late = state.policy.advance(to: elapsed())
            for decision in late + decide(&state) {
                switch decision {
                case .granted(let id): admit(id, .granted, &state, &admitted)
                case .refused(let id): admit(id, .draining, &state, &admitted)
                case .limited(let id): admit(id, .limited, &state, &admitted)
                case .preempt(let id): preempted.append(id)
                }
            }
            return grownWidth(&state)
        }
        for (continuation, admission) in admitted { continuation.resume(returning: admission) }
        for id in preempted { preempt(id) }
        if let newWidth { resize(newWidth) }
    }

    /// The number of jobs at once, if it has grown by more than a quarter. A fall is told only if it lasts.
    private func grownWidth(_ state: inout State) -> Int? {
        let width = state.policy.width
        if width * 4 > state.toldWidth * 5 {
            state.toldWidth = width
            return width
        }
        if width * 2 < state.toldWidth, !state.isShrinkDue {
            state.isShrinkDue = true
            _ = alarms.set(after: Self.shrinkDelay) { [weak self] in self?.shrink() }
        }
        return nil
    }

    private func shrink() {
        let width = state.withLock { state -> Int? in
            state.isShrinkDue = false
            let width = state.policy.width
            guard width * 2 < state.toldWidth else { return nil }
            state.toldWidth = width
            return width
        }
        if let width { resize(width) }
    }

    private func admit(
        _ id: UInt64, _ admission: Admission, _ state: inout State,
        _ admitted: inout [(CheckedContinuation<Admission, Never>, Admission)]
    ) {
        if let waiter = state.waiters.removeValue(forKey: id) {
            admitted.append((waiter, admission))
        } else {
            state.early[id] = admission
        }
    }
}
