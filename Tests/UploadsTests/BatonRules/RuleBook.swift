import Foundation

@testable import Uploads

/// The machines that run in production, asked by number. They are pure, so each answer is remembered: the search costs
/// as many calls as there are different questions.
final class RuleBook {
    /// The facts about a baton that the world needs.
    struct BatonFacts {
        var generation: Int
        var round: Int
        var isCancel: Bool
        var onlyRemovesCopy: Bool
    }

    /// The facts about the ledger's job that the world needs.
    struct JobFacts {
        var round: Int
        var end: EventKind?
        var isPaused: Bool
        /// Whether it is held, and not about to be issued.
        var isHeld: Bool
        /// Whether it waits for its turn in a serial line.
        var waitsInLine: Bool
    }

    struct SliceAnswer {
        var machine: Int32
        var actions: [Int32]
    }

    struct Decision {
        var job: Int32
        var publications: [Int32]
        var usesMarker: Bool
    }

    struct SliceQuestion: Hashable {
        var machine: Int32
        var fact: Int32
    }

    struct IssuingQuestion: Hashable {
        var job: Int32
        var news: Int32
        var fence: Int
        var marker: Int
    }

    struct PlanQuestion: Hashable {
        var settlement: Int32
        var baton: Int32
        var hasStarted: Bool
    }

    struct TakingQuestion: Hashable {
        var baton: Int32
        var view: Int32
        var isRedelivered: Bool
        var isFlagged: Bool
    }

    struct Pair: Hashable {
        var a: Int32
        var b: Int32
    }

    /// No job in the ledger.
    static let none: Int32 = -1
    static let now = Date(timeIntervalSince1970: 1_800_000_000)
    static let markerIDs = (0..<64).map { UUID(uuidString: "00000000-0000-4000-8000-0000000000\($0 + 10)")! }

    var batons = Interned<Baton>()
    var machines = Interned<SliceMachine>()
    var facts = Interned<SliceFact>()
    var actions = Interned<SliceAction>()
    var settlements = Interned<Settlement>()
    var plans = Interned<[[SettlementPlan.Step]]>()
    var news = Interned<News>()
    var jobs = Interned<LedgerJob>()
    var owed = Interned<IssuingAction>()
    var views = Interned<ControlView>()

    private var sliceAnswers: [SliceQuestion: SliceAnswer] = [:]
    private var decisions: [IssuingQuestion: Decision] = [:]
    private var planned: [PlanQuestion: Int32] = [:]
    private var verdicts: [TakingQuestion: TakingVerdict] = [:]
    private var validities: [Pair: BatonValidity] = [:]
    private var applied: [Pair: Int32] = [:]
    private var needed: [Pair: Bool] = [:]
    private var fences: [Int32: Int] = [:]
    private var batonFacts: [Int32: BatonFacts] = [:]
    private var jobFacts: [Int32: JobFacts] = [:]
    private let rules = SliceRules(parts: 1)
    let order: UploadJob

    init(order: UploadJob) { self.order = order }

    /// A message or an order in the notifier's queue.
    enum News: Hashable {
        case message(NotifierMessage)
        case verb(Verb)
    }

    func machine(of baton: Int32) -> Int32 {
        machines.number(of: SliceMachine(baton: batons[baton], rules: rules, seed: 1))
    }

    func tell(_ fact: SliceFact, to machine: Int32) -> SliceAnswer {
        let question = SliceQuestion(machine: machine, fact: facts.number(of: fact))
        if let answer = sliceAnswers[question] { return answer }
        var next = machines[machine]
        let asked = next.handle(fact, at: Self.now).map { actions.number(of: $0) }
        let answer = SliceAnswer(machine: machines.number(of: next), actions: asked)
        sliceAnswers[question] = answer
        return answer
    }

    func plan(for settlement: Settlement, of baton: Int32, by machine: Int32) -> Int32 {
        let hasStarted = machines[machine].hasStarted
        let question = PlanQuestion(
            settlement: settlements.number(of: settlement), baton: baton, hasStarted: hasStarted)
        if let plan = planned[question] { return plan }
        var report = SliceReport()
        // As in production: the hand-over of a slice that never began reports no beginning.
        if case .handOver = settlement, !hasStarted {} else { report.startedAt = Self.now }
        let plan = SettlementPlan(SettledSlice(settlement, report: report), of: batons[baton], now: Self.now)
        let number = plans.number(of: plan.stages)
        planned[question] = number
        return number
    }

    func verdict(on parcel: BatonWorld.Parcel, view: Int32) -> TakingVerdict {
        let question = TakingQuestion(
            baton: parcel.baton, view: view, isRedelivered: parcel.isRedelivered, isFlagged: parcel.isFlagged)
        if let verdict = verdicts[question] { return verdict }
        let verdict = TakingVerdict(
            batons[parcel.baton], isRedelivered: parcel.isRedelivered, isMaybeRepeated: parcel.isFlagged,
            view: views[view])
        verdicts[question] = verdict
        return verdict
    }

    func validity(of baton: Int32, view: Int32) -> BatonValidity {
        let pair = Pair(a: baton, b: view)
        if let validity = validities[pair] { return validity }
        let validity = views[view].validity(of: batons[baton])
        validities[pair] = validity
        return validity
    }

    /// The view after an entry.
    func apply(_ action: Int32, to view: Int32) -> Int32 {
        let pair = Pair(a: action, b: view)
        if let next = applied[pair] { return next }
        var next = views[view]
        if case .append(let entry) = owed[action] { next.apply(entry) }
        let number = views.number(of: next)
        applied[pair] = number
        return number
    }

    func isNeeded(_ action: Int32, for job: Int32) -> Bool {
        let pair = Pair(a: action, b: job)
        if let isNeeded = needed[pair] { return isNeeded }
        let isNeeded = owed[action].isNeeded(for: job == Self.none ? nil : jobs[job])
        needed[pair] = isNeeded
        return isNeeded
    }

    func fence(in view: Int32) -> Int {
        if let fence = fences[view] { return fence }
        let fence = views[view].fence(of: order.id)
        fences[view] = fence
        return fence
    }

    func facts(ofBaton number: Int32) -> BatonFacts {
        if let facts = batonFacts[number] { return facts }
        let baton = batons[number]
        let facts = BatonFacts(
            generation: baton.generation, round: baton.round, isCancel: baton.isCancel,
            onlyRemovesCopy: baton.onlyRemovesCopy)
        batonFacts[number] = facts
        return facts
    }

    func facts(ofJob number: Int32) -> JobFacts? {
        guard number != Self.none else { return nil }
        if let facts = jobFacts[number] { return facts }
        let job = jobs[number]
        let facts = JobFacts(
            round: job.round, end: job.end?.kind, isPaused: job.isPaused,
            isHeld: job.hold != nil && job.openWish == nil, waitsInLine: job.line == .waiting)
        jobFacts[number] = facts
        return facts
    }

    func decide(_ message: Int32, job: Int32, fence: Int, marker: Int) -> Decision {
        let question = IssuingQuestion(job: job, news: message, fence: fence, marker: marker)
        if let decision = decisions[question] { return decision }
        let machine = IssuingMachine(fence: fence, now: Self.now, markerID: Self.markerIDs[marker])
        let known = job == Self.none ? nil : jobs[job]
        let decision: IssuingDecision
        switch news[message] {
        case .message(let message): decision = machine.receive(message, for: known)
        case .verb(let verb):
            // An operator cannot name a job that the ledger does not know; a refusal changes nothing.
            decision = known.flatMap { try? machine.order(verb, of: $0) } ?? IssuingDecision(job: known)
        }
        let answer = numbered(decision, by: machine)
        decisions[question] = answer
        return answer
    }

    /// The decision when the time of a held job has come.
    func issueHeld(_ job: Int32, fence: Int, marker: Int) -> Decision {
        let machine = IssuingMachine(fence: fence, now: Self.now, markerID: Self.markerIDs[marker])
        return numbered(machine.issueHeld(jobs[job]), by: machine)
    }

    /// The decision when the job before it in its serial line has ended.
    func release(_ job: Int32, fence: Int, marker: Int) -> Decision {
        let machine = IssuingMachine(fence: fence, now: Self.now, markerID: Self.markerIDs[marker])
        return numbered(machine.release(jobs[job]), by: machine)
    }

    private func numbered(_ decision: IssuingDecision, by machine: IssuingMachine) -> Decision {
        let usesMarker = decision.actions.contains {
            if case .mark(let marker) = $0 { marker.id == machine.markerID } else { false }
        }
        return Decision(
            job: decision.job.map { jobs.number(of: $0) } ?? Self.none,
            publications: decision.actions.filter(\.isPublication).map { owed.number(of: $0) },
            usesMarker: usesMarker)
    }
}
