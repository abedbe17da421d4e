import Foundation
import Testing

@testable import Uploads

/// Random legal histories: whatever answers come, and whenever, the rules hold.
@Suite struct SliceMachineExplorationTests {
    typealias H = SliceHarness

    /// One history: what was asked and not answered, and what must hold of it.
    struct History {
        var random: SeededGenerator
        var slice: H
        let width: Int
        let baton: Baton
        var asked: [SliceAction] = []
        var settlements = 0
        var accepted: Set<Int> = []
        var steps = 0
        var trace: [String] = []

        init(seed: UInt64) {
            random = SeededGenerator(seed: seed)
            var job = H.job(source: Bool.random(using: &random) ? .staged(area: "a", name: "n") : .inline(Data()))
            if Int.random(in: 0..<8, using: &random) == 0 { job.expiresAt = H.start + 1 }
            if Int.random(in: 0..<8, using: &random) == 0 { job.notBefore = H.start + 1 }
            var baton = H.baton(job)
            if Bool.random(using: &random) { baton.slice = Int.random(in: 0...3, using: &random) }
            if Int.random(in: 0..<4, using: &random) == 0 { baton.generation = 2 }
            if Int.random(in: 0..<6, using: &random) == 0 { baton.isCancel = true }
            if baton.mustProbe, Bool.random(using: &random) { baton.state = H.state }
            baton.attempts = Int.random(in: 0...10, using: &random)
            baton.idleWaits = Int.random(in: 0...2, using: &random)
            width = Int.random(in: 1...4, using: &random)
            self.baton = baton
            slice = H(baton, rules: SliceRules(parts: width), seed: seed)
        }

        mutating func run() {
            take(.begun)
            while !slice.machine.isSettled, steps < 400 {
                if asked.isEmpty {
                    Issue.record("nothing is asked and nothing settled: \(trace)")
                    return
                }
                if Int.random(in: 0..<12, using: &random) == 0 {
                    take(disturbance())
                } else {
                    let index = Int.random(in: asked.indices, using: &random)
                    take(answer(asked.remove(at: index)))
                }
            }
            #expect(settlements == 1, "\(trace)")
            #expect(steps < 400, "\(trace.suffix(30))")
            for fact in [SliceFact.begun, .sourceClaimed, .graceUsedUp, .lost(.superseded), .standing(.holds)] {
                #expect(slice.tell(fact) == [])
            }
        }

        private mutating func take(_ fact: SliceFact) {
            steps += 1
            trace.append("\(fact)")
            if case .partAccepted(let index, _) = fact { accepted.insert(index) }
            let actions = slice.tell(fact)
            for action in actions { judge(action, after: fact) }
            asked += actions.filter { if case .settle = $0 { false } else { $0 != .cancelRequests } }
            #expect(asked.count { if case .sendPart = $0 { true } else { false } } <= width, "\(trace)")
            switch fact {
            case .lost(.superseded), .standing(.superseded): #expect(slice.settlement == .superseded, "\(trace)")
            case .lost(.disconnected), .standing(.disconnected): #expect(slice.settlement == .abandoned, "\(trace)")
            default: break
            }
        }

        private mutating func judge(_ action: SliceAction, after fact: SliceFact) {
            switch action {
            case .probe, .open, .complete, .discard, .removeStagedCopy:
                guard case .standing(let standing) = fact, standing == .holds || standing == .paused else {
                    Issue.record("\(action) without asking how the baton stands: \(trace)")
                    return
                }
            case .settle(let settlement):
                settlements += 1
                #expect(slice.actions.last == action, "\(trace)")
                judge(settlement)
            default: break
            }
            switch action {
            case .sendPart(let index): #expect(!accepted.contains(index), "sent twice: \(trace)")
            case .open: accepted = []
            case .complete: #expect(!baton.isCancel, "a cancel completed something: \(trace)")
            case .removeStagedCopy: #expect(baton.isCancel, "\(trace)")
            default: break
            }
        }

        private func judge(_ settlement: Settlement) {
            switch settlement {
            case .ended(.cancelled): #expect(baton.isCancel, "\(trace)")
            case .wait(let until, let reason, _):
                #expect(until >= slice.now, "\(trace)")
                #expect(reason != .paused || !baton.isCancel, "\(trace)")
            default: break
            }
        }

        private mutating func disturbance() -> SliceFact {
            [
                .lost(.superseded), .lost(.disconnected), .lost(.paused), .yieldRequested(.drain),
                .yieldRequested(.preempt), .sliceTimeReached, .uncutTimeReached, .graceUsedUp, .partAccepted(99, nil),
                .discarded, .toldStarted, .retryDue(0),
            ].randomElement(using: &random) ?? .graceUsedUp
        }

        private mutating func state() -> UploadState? {
            [H.state, H.otherState, nil].randomElement(using: &random) ?? nil
        }

        private mutating func error() -> UploadError {
            H.error(UploadError.Code.allCodes.randomElement(using: &random) ?? .unknown)
        }

        private mutating func fails() -> Bool { Int.random(in: 0..<4, using: &random) == 0 }

        private mutating func answer(_ action: SliceAction) -> SliceFact {
            switch action {
            case .checkStanding:
                switch Int.random(in: 0..<30, using: &random) {
                case 0: return .standing(.superseded)
                case 1: return .standing(.disconnected)
                case 2: return .standing(.paused)
                default: return .standing(.holds)
                }
            case .sendPart(let index):
                return fails() ? .partFailed(index, error()) : .partAccepted(index, state())
            case .waitToRetry(let index, _): return .retryDue(index)
            case .findDestination:
                if fails() { return .destinationUnknown }
                return .destinationFound(DestinationFacts(driver: "directory", canYield: Bool.random(using: &random)))
            case _ where fails(): return .failed(error())
            case .tellStarted: return .toldStarted
            case .probe:
                return .probed(
                    [
                        .nothing, .nothing, .unknowable, .complete(H.done), .partial(H.state), .partial(H.otherState),
                        .other(H.object, isNewer: true), .other(H.object, isNewer: false),
                    ].randomElement(using: &random) ?? .nothing)
            case .claimSource:
                return [
                    .sourceClaimed, .sourceClaimed, .sourceClaimed, .sourceBusy, .sourceGone, .sourceAreaUnknown("a"),
                ]
                .randomElement(using: &random) ?? .sourceBusy
            case .open:
                let count = Int.random(in: 1...6, using: &random)
                return .opened(
                    SessionFacts(
                        state: state(), partCount: count, missingCount: Int.random(in: 0...count, using: &random)))
            case .complete: return .completed(H.done)
            case .discard: return .discarded
            case .removeStagedCopy: return .stagedCopyRemoved
            case .cancelRequests, .settle: return .discarded
            }
        }
    }

    @Test(.timeLimit(.minutes(2))) func `however the facts come, a slice settles once and by the rules`() {
        for seed in 0..<20_000 as Range<UInt64> {
            var history = History(seed: seed)
            history.run()
        }
    }

    @Test func `the same seed decides the same`() {
        var traces: [[String]] = []
        for _ in 0..<2 {
            var history = History(seed: 42)
            history.run()
            traces.append(history.trace)
        }
        #expect(traces[0] == traces[1])
    }
}
