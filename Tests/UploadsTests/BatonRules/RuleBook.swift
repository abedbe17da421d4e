import Foundation
import UploadTesting

@testable import Uploads

/// The machines and the ledger's decider that run in production, asked by number. They are pure, so each answer is remembered: the search costs
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
        var ledger: Int32
        var publications: [Int32]
        var usesMarker: Bool
    }

    struct SliceQuestion: Hashable {
        var machine: Int32
        var fact: Int32
    }

    struct IssuingQuestion: Hashable {
        var ledger: Int32
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

    static let now = Date(timeIntervalSince1970: 1_800_000_000)
    static let markerIDs = (0..<64).map { UUID(uuidString: "00000000-0000-4000-8000-0000000000\($0 + 10)")! }

    var batons = Interned<Baton>()
    var machines = Interned<SliceMachine>()
    var facts = Interned<SliceFact>()
    var actions = Interned<SliceAction>()
    var settlements = Interned<Settlement>()
    var plans = Interned<[[SettlementPlan.Step]]>()
    var news = Interned<News>()
    var ledgers = Interned<MemoryStore.Rows>()
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
    private let rules: SliceRules
    let order: UploadJob
    /// The ledger before it knows the job: in the serial line of a serial job another job is on its way, so that the turn of this one comes
    /// when that job ends.
    let emptyLedger: MemoryStore.Rows
    /// The end of the other job.
    private let turn: UploadEvent

    init(order: UploadJob) {
        self.order = order
        var rules = SliceRules(parts: 1)
        // Looking again within the slice is the same as looking again in the next one.
        rules.copyPollsMaximum = 0
        self.rules = rules
        var other = order
        other.id = JobID(now: Self.now)
        other.source = .inline(Data())
        let baton = Baton(job: other)
        turn = UploadEvent(kind: .completed, of: baton, at: Self.now)
        var rows = MemoryStore.Rows()
        if order.serial != nil {
            rows.jobs[other.id] = LedgerJob(baton, isWhole: true, at: Self.now)
            rows.places[other.id.rawValue] = LedgerChanges.Place(
                queue: other.queue, job: other.id.rawValue, row: .released)
        }
        emptyLedger = rows
    }

    /// What the ledger knows of the job; nil if it does not know it.
    func job(in ledger: Int32) -> LedgerJob? { ledgers[ledger].jobs[order.id] }

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

    func isNeeded(_ action: Int32, in ledger: Int32) -> Bool {
        let pair = Pair(a: action, b: ledger)
        if let isNeeded = needed[pair] { return isNeeded }
        let isNeeded = owed[action].isNeeded(for: job(in: ledger))
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

    func facts(ofJobIn ledger: Int32) -> JobFacts? {
        if let facts = jobFacts[ledger] { return facts }
        guard let job = job(in: ledger) else { return nil }
        let facts = JobFacts(
            round: job.round, end: job.end?.kind, isPaused: job.isPaused,
            isHeld: job.hold != nil && job.openWish == nil, waitsInLine: job.line == .waiting)
        jobFacts[ledger] = facts
        return facts
    }

    func decide(_ message: Int32, ledger: Int32, view: Int32, marker: Int) -> Decision {
        let question = IssuingQuestion(ledger: ledger, news: message, fence: fence(in: view), marker: marker)
        if let decision = decisions[question] { return decision }
        let answer = decide(in: ledger, view, marker) { batch in
            switch news[message] {
            case .message(let message): try batch.receive([message])
            // A refusal changes nothing.
            case .verb(let verb): _ = try batch.order(verb, of: [order.id])
            }
        }
        decisions[question] = answer
        return answer
    }

    /// The decision when the time of a held job has come.
    func issueHeld(in ledger: Int32, view: Int32, marker: Int) -> Decision {
        decide(in: ledger, view, marker) { try $0.issueHeld([order.id]) }
    }

    /// The decision when the job before it in its serial line has ended.
    func release(in ledger: Int32, view: Int32, marker: Int) -> Decision {
        decide(in: ledger, view, marker) { try $0.receive([.event(turn)]) }
    }

    /// Makes one transaction with the decider of production.
    private func decide(
        in ledger: Int32, _ view: Int32, _ marker: Int, _ step: (inout LedgerBatch) throws -> Void
    ) -> Decision {
        let store = MemoryStore(ledgers[ledger])
        let markerID = Self.markerIDs[marker]
        var batch = LedgerBatch(
            store, view: views[view], routes: [DeliveryRoute(delegate: "hook")], now: Self.now, markerID: { markerID })
        do {
            try step(&batch)
            let actions = try batch.save().filter { $0.job == order.id }.map(\.action)
            let usesMarker = actions.contains {
                if case .mark(let marker) = $0 { marker.id == markerID } else { false }
            }
            return Decision(
                ledger: ledgers.number(of: kept(store.rows)), publications: actions.map { owed.number(of: $0) },
                usesMarker: usesMarker)
        } catch {
            preconditionFailure("the decider failed: \(error)")
        }
    }

    /// The rows on which later decisions depend. The world notes itself what is owed; the other job of the line is there again, so that the
    /// turn may come once more.
    private func kept(_ rows: MemoryStore.Rows) -> MemoryStore.Rows {
        var kept = emptyLedger
        let id = order.id
        kept.jobs[id] = rows.jobs[id]
        kept.originals[id] = rows.originals[id]
        kept.holds[id] = rows.holds[id]
        kept.places[id.rawValue] = rows.places[id.rawValue]
        return kept
    }
}
