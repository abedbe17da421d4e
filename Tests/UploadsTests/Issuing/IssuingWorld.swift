import Foundation
import Uploads

/// A small broker, workers and a notifier in memory, in which each may crash between any two steps. One job.
struct IssuingWorld {
    struct Message {
        var baton: Baton
        var isSuspect: Bool
    }

    struct Holder {
        var baton: Baton
        var isSuspect: Bool
        var steps: [Step]
        /// The broker gave its delivery to another worker: this one can still write, and publish nothing.
        var isCutOff = false
    }

    enum Step { case started, write, onward(UploadState?, EventKind), tell(EventKind), suspect }

    static let order = UploadJob(
        source: .staged(area: "a", name: "n"), destination: .url("https://host.example/x"), size: 10,
        enqueuedAt: Date(timeIntervalSince1970: 1_800_000_000))

    var generator: SplitMix64
    var mayCrash = true
    var lane: [Message]
    var holders: [Holder] = []
    var notifierQueue: [NotifierMessage]
    var control = ControlView()
    var ledger: LedgerJob?
    var owed: [IssuingAction] = []
    var isNotifierUp = true
    var isObjectThere = false
    var told: [String: Set<EventKind>] = [:]
    var tellings = 0
    var issues = 0
    /// Generations that went out without the flag that makes a repeat a suspect.
    var issuedPlainly: Set<Int> = []
    var violations: [String] = []
    let now = Date(timeIntervalSince1970: 1_800_000_000)

    init(seed: UInt64) {
        generator = SplitMix64(state: seed)
        lane = [Message(baton: Baton(job: Self.order), isSuspect: false)]
        notifierQueue = [.job(Self.order, maybeRepeated: false)]
        // A producer that lost the answer publishes once more, flagged.
        if chance(1, in: 5) {
            lane.append(Message(baton: Baton(job: Self.order), isSuspect: true))
            notifierQueue.append(.job(Self.order, maybeRepeated: true))
        }
    }

    mutating func chance(_ part: Int, in whole: Int) -> Bool { Int.random(in: 0..<whole, using: &generator) < part }
    mutating func crashes() -> Bool { mayCrash && chance(1, in: 6) }

    var isQuiet: Bool { lane.isEmpty && holders.isEmpty && notifierQueue.isEmpty && owed.isEmpty }

    mutating func step() {
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: take()
        case 1: work()
        default: notify()
        }
    }

    // MARK: Workers

    private mutating func take() {
        guard !lane.isEmpty else { return }
        let message = lane.remove(at: Int.random(in: 0..<lane.count, using: &generator))
        holders.append(
            Holder(baton: message.baton, isSuspect: message.isSuspect, steps: plan(message)))
    }

    private mutating func plan(_ message: Message) -> [Step] {
        if message.isSuspect { return [.suspect] }
        let baton = message.baton
        switch control.validity(of: baton) {
        case .superseded, .disconnected: return []
        case .paused where baton.mustProbe && isObjectThere: return [.tell(.completed)]
        case .paused: return [.onward(baton.state, .paused)]
        case .stopped: return [.onward(baton.state, .handedOver)]
        case .holds: break
        }
        if baton.mustProbe, isObjectThere { return [.tell(.completed)] }
        if baton.isCancel { return [.tell(.cancelled)] }
        let state = UploadState(driver: "test", payload: .integer(Int64.random(in: 1...3, using: &generator)))
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: return [.started, .onward(state, .handedOver)]
        case 1: return [.onward(baton.state, .waiting)]
        case 2: return [.started, .tell(.failed)]
        default: return [.started, .write, .tell(.completed)]
        }
    }

    private mutating func work() {
        guard !holders.isEmpty else { return }
        let index = Int.random(in: 0..<holders.count, using: &generator)
        var holder = holders.remove(at: index)
        if !holder.isCutOff, crashes() {
            // Either the worker died, or its connection did and it does not know yet.
            lane.append(Message(baton: holder.baton, isSuspect: true))
            if chance(1, in: 2) { return }
            holder.isCutOff = true
        }
        guard !holder.steps.isEmpty else { return }
        if !holder.isSuspect, control.validity(of: holder.baton) == .superseded { return }
        let step = holder.steps.removeFirst()
        var acknowledged = false
        switch step {
        case .write: isObjectThere = true
        case .started where !holder.isCutOff: publish(.started, holder.baton)
        case .suspect where !holder.isCutOff: publish(.suspect, holder.baton)
        case .tell(let kind) where !holder.isCutOff: publish(kind, holder.baton)
        case .onward(let state, let kind) where !holder.isCutOff:
            var next = holder.baton
            next.slice += 1
            next.state = state
            lane.append(Message(baton: next, isSuspect: false))
            if crashes() {
                lane.append(Message(baton: holder.baton, isSuspect: true))
                acknowledged = true
            } else {
                publish(kind, next)
            }
        case .started, .suspect, .tell, .onward: acknowledged = true
        }
        if !acknowledged, !holder.steps.isEmpty {
            holders.append(holder)
        } else if !acknowledged, !holder.isCutOff, crashes() {
            lane.append(Message(baton: holder.baton, isSuspect: true))
        }
    }

    private mutating func publish(_ kind: EventKind, _ baton: Baton) {
        notifierQueue.append(.event(UploadEvent(kind: kind, of: baton, at: now)))
    }

    // MARK: Notifier

    /// Acknowledges the head of its queue only when all that follows from it is published.
    private mutating func notify() {
        if !isNotifierUp {
            isNotifierUp = true
            owed = owed.map(\.repeated).filter(isNeeded)
        }
        guard pay(), let message = notifierQueue.first else { return }
        let machine = machine()
        let decision = machine.receive(message, for: ledger)
        if crashes() { return fall() }
        for case .issue(let baton, _, _) in decision.actions where ledger?.end != nil && baton.round == ledger?.round {
            violations.append("generation \(baton.generation) is issued though round \(baton.round) has ended")
        }
        ledger = decision.job
        owed = decision.actions.filter(\.isPublication)
        guard pay() else { return }
        if crashes() { return fall() }
        notifierQueue.removeFirst()
    }

    mutating func order(_ verb: Verb) {
        guard isNotifierUp, owed.isEmpty, let job = ledger else { return }
        let machine = machine()
        guard let decision = try? machine.order(verb, of: job) else { return }
        ledger = decision.job
        owed = decision.actions.filter(\.isPublication)
        _ = pay()
    }

    private mutating func machine() -> IssuingMachine {
        let a = generator.next()
        let b = generator.next()
        let marker = withUnsafeBytes(of: (a, b)) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
        return IssuingMachine(fence: control.fence(of: Self.order.id), now: now) { marker }
    }

    private mutating func fall() { isNotifierUp = false }

    private func isNeeded(_ action: IssuingAction) -> Bool {
        if case .issue(let baton, _, _) = action {
            return ledger?.end == nil && baton.generation == ledger?.generation
        }
        return true
    }

    private mutating func pay() -> Bool {
        while let action = owed.first {
            if crashes() {
                fall()
                return false
            }
            switch action {
            case .mark(let marker): notifierQueue.append(.marker(marker))
            case .issue(let baton, _, let maybeRepeated):
                issues += 1
                if !maybeRepeated, !issuedPlainly.insert(baton.generation).inserted {
                    violations.append("generation \(baton.generation) went out twice without the flag")
                }
                if control.fence(of: Self.order.id) > baton.generation {
                    violations.append("generation \(baton.generation) went out behind its fence")
                }
                lane.append(Message(baton: baton, isSuspect: maybeRepeated))
            case .append(let entry): control.apply(entry)
            case .outcome(let event):
                tellings += 1
                told[event.id, default: []].insert(event.kind)
            case .record, .note: break
            }
            // The confirm may be lost though the publication arrived.
            if crashes() {
                fall()
                return false
            }
            owed.removeFirst()
        }
        return true
    }
}

/// A small generator with a seed (Steele, Lea, Flood: "Fast splittable pseudorandom number generators").
struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
