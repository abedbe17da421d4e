import Foundation
import Testing

@testable import Uploads

/// Random legal histories: whatever the answers are, and whenever they come, the rules hold.
@Suite struct SliceMachineExplorationTests {
    typealias H = SliceHarness

    /// One history: the open requests, and the facts by which its rules are checked.
    struct History {
        var random: SeededGenerator
        var slice: H
        let width: Int
        let baton: Baton
        var asked: [SliceAction] = []
        var settlements = 0
        var accepted: Set<Int> = []
        var steps = 0
        /// What the last probe saw: the condition that a write must carry.
        var seen = WriteCondition.none
        /// Whether the last probe saw an object that is not the job's.
        var seesOther = false
        var hasProbed = false
        /// Whether the destination's circuit was open.
        var isBlocked = false
        /// Whether the circuit of the place that the source is read from is open.
        var isSourceBlocked = false
        /// Whether steps that wait for their turn are called off.
        var areTurnsClosed = false
        /// Whether an object of the job was found to be broken, so that it may be replaced.
        var isKnownBroken = false
        var hasMatched = false
        var trace: [String] = []

        var keepsExisting: Bool { baton.job.ifExists != .replace }

        init(seed: UInt64) {
            random = SeededGenerator(seed: seed)
            var job = H.job(source: Bool.random(using: &random) ? .staged(area: "a", name: "n") : .inline(Data()))
            if Int.random(in: 0..<4, using: &random) == 0 {
                job.source = .object(.url("http://store/o"), seen: Bool.random(using: &random) ? H.object : nil)
            }
            if Int.random(in: 0..<8, using: &random) == 0 { job.expiresAt = H.start + 1 }
            if Int.random(in: 0..<8, using: &random) == 0 { job.notBefore = H.start + 1 }
            job.verify = Int.random(in: 0..<3, using: &random) == 0
            job.ifExists = [.replace, .replace, .skip, .fail, .rename].randomElement(using: &random) ?? .replace
            seen = job.ifExists == .replace ? .none : .absent
            var baton = H.baton(job)
            if Bool.random(using: &random) { baton.slice = Int.random(in: 0...3, using: &random) }
            if Int.random(in: 0..<4, using: &random) == 0 { baton.generation = 2 }
            if Int.random(in: 0..<6, using: &random) == 0 { baton.isCancel = true }
            if baton.mustProbe, Bool.random(using: &random) { baton.state = H.state }
            if baton.mustProbe, job.verify, Bool.random(using: &random) {
                var state = Bool.random(using: &random) ? H.state : UploadState(driver: "directory", payload: [:])
                state.readBack = ReadBack(of: H.object, isBroken: Bool.random(using: &random))
                isKnownBroken = state.readBack?.isBroken ?? false
                baton.state = state
            }
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
            for fact in [SliceFact.begun, .sourceClaimed, .graceUsedUp, .lost(.superseded), .validity(.holds)] {
                #expect(slice.tell(fact) == [])
            }
        }

        private mutating func take(_ fact: SliceFact) {
            steps += 1
            trace.append("\(fact)")
            if case .partAccepted(let index, _) = fact { accepted.insert(index) }
            if case .probed(let answer) = fact {
                hasProbed = true
                seesOther = answer.other != nil
                seen = keepsExisting ? .absent : Self.condition(after: answer)
            }
            if fact == .readBackMatched { hasMatched = true }
            if case .failed(let error) = fact, case .readingBack = slice.machine.phase, error.code == .checksumMismatch
            {
                isKnownBroken = true
            }
            let actions = slice.tell(fact)
            for action in actions { judge(action, after: fact) }
            if actions.contains(.withdrawTurns) { areTurnsClosed = true }
            asked += actions.filter { action in
                if case .settle = action { return false }
                return action != .cancelRequests && action != .withdrawTurns
            }
            #expect(asked.count { if case .sendPart = $0 { true } else { false } } <= width, "\(trace)")
            switch fact {
            case .lost(.superseded), .validity(.superseded): #expect(slice.settlement == .superseded, "\(trace)")
            case .lost(.disconnected), .validity(.disconnected): #expect(slice.settlement == .abandoned, "\(trace)")
            default: break
            }
        }

        private mutating func judge(_ action: SliceAction, after fact: SliceFact) {
            switch action {
            case .probe, .open, .complete, .readBack, .discard, .removeStagedCopy:
                guard case .validity(let validity) = fact, validity == .holds || validity == .paused else {
                    Issue.record("\(action) without asking how the baton stands: \(trace)")
                    return
                }
            case .settle(let settlement):
                settlements += 1
                #expect(slice.actions.last == action, "\(trace)")
                judge(settlement)
            default: break
            }
            if isBlocked, action.isAtDestination { Issue.record("\(action) past an open circuit: \(trace)") }
            if isSourceBlocked, [.examineSource, .claimSource].contains(action) {
                Issue.record("\(action) past an open circuit of the source: \(trace)")
            }
            judgeKeeping(action)
            judgeObject(action)
            switch action {
            case .sendPart(let index): #expect(!accepted.contains(index), "sent twice: \(trace)")
            case .open: accepted = []
            case .complete(let condition):
                #expect(!baton.isCancel, "a cancel completed something: \(trace)")
                #expect(condition == seen || isKnownBroken, "\(trace)")
            case .removeStagedCopy: #expect(baton.isCancel, "\(trace)")
            default: break
            }
        }

        /// A job that keeps what it finds looks before it opens the source, and never writes where it saw something.
        private func judgeKeeping(_ action: SliceAction) {
            guard keepsExisting, !baton.isCancel, !isKnownBroken else { return }
            switch action {
            // The object that it sees may be its own, which is read back.
            case .claimSource where baton.state?.readBack != nil: break
            case .claimSource, .sendPart: #expect(hasProbed && !seesOther, "\(trace)")
            case .open(_, let condition), .complete(let condition):
                #expect(hasProbed && !seesOther && condition == .absent, "\(trace)")
            default: break
            }
        }

        /// A source object is looked at before anything of it is sent, and only then.
        private func judgeObject(_ action: SliceAction) {
            switch action {
            case .sendPart, .open, .complete: #expect(baton.job.isExamined || baton.isCancel, "\(trace)")
            case .examineSource: #expect(!baton.job.isExamined && !baton.isCancel, "\(trace)")
            default: break
            }
        }

        private static func condition(after answer: ProbeAnswer) -> WriteCondition {
            switch answer {
            case .nothing: .absent
            case .other(let object, _): WriteCondition(replacing: object)
            case .partial(_, let object): WriteCondition(replacing: object)
            case .complete, .unknowable: .none
            }
        }

        private func judge(_ settlement: Settlement) {
            switch settlement {
            case .ended(.completed(let object, _)):
                #expect((object.verified == .readBack) == hasMatched, "\(trace)")
                if baton.job.verify, !baton.isCancel {
                    #expect(
                        object.verified == .readBack || object.isKept || object.isOvertaken, "not read back: \(trace)")
                }
                #expect(!object.isKept || baton.job.ifExists == .skip, "\(trace)")
                #expect(!object.isOvertaken || !keepsExisting, "\(trace)")
            case .ended(.cancelled): #expect(baton.isCancel, "\(trace)")
            case .altered(let job):
                #expect(!baton.job.isExamined && job.isExamined || job.destination != baton.job.destination, "\(trace)")
            case .wait(let until, let reason, _):
                #expect(until >= slice.now, "\(trace)")
                #expect(reason != .paused || !baton.isCancel, "\(trace)")
            default: break
            }
        }

        private mutating func disturbance() -> SliceFact {
            [
                .lost(.superseded), .lost(.disconnected), .lost(.paused), .yieldRequested(.drain),
                .yieldRequested(.preempt), .yieldOverdue, .sliceTimeReached, .uncutTimeReached, .graceUsedUp,
                .partAccepted(99, nil),
                .discarded, .toldStarted, .retryDue(0), .lastAnswersDue, .readBackReached(ReadBack(of: H.object)),
            ].randomElement(using: &random) ?? .graceUsedUp
        }

        private mutating func state() -> UploadState? {
            [H.state, H.otherState, nil].randomElement(using: &random) ?? nil
        }

        private mutating func error() -> UploadError {
            let error = H.error(UploadError.Code.allCodes.randomElement(using: &random) ?? .unknown)
            let status = [nil, 200, 403].randomElement(using: &random) ?? nil
            let answered = UploadError(
                error.code, error.message, retry: error.retry, response: status.map { ServerResponse(status: $0) })
            return Bool.random(using: &random) ? answered : answered.ofSource
        }

        private mutating func fails() -> Bool { Int.random(in: 0..<4, using: &random) == 0 }

        private mutating func answer(_ action: SliceAction) -> SliceFact {
            if areTurnsClosed, Bool.random(using: &random) {
                switch action {
                case .probe, .open, .complete: return .turnWithdrawn
                default: break
                }
            }
            switch action {
            case .checkValidity:
                switch Int.random(in: 0..<30, using: &random) {
                case 0: return .validity(.superseded)
                case 1: return .validity(.disconnected)
                case 2: return .validity(.paused)
                default: return .validity(.holds)
                }
            case .sendPart(let index):
                return fails() ? .partFailed(index, error()) : .partAccepted(index, state())
            case .waitToRetry(let index, _): return .retryDue(index)
            case .findDestination:
                if fails() { return .destinationUnknown }
                let ways: [DestinationFacts.Way] = [
                    .free, .free, .trial(.write), .blocked(until: H.start + 9, H.error(.serverFailure)),
                ]
                let way = ways.randomElement(using: &random) ?? .free
                let sourceWay = ways.randomElement(using: &random) ?? .free
                if case .blocked = way { isBlocked = true }
                if case .blocked = sourceWay { isSourceBlocked = true }
                return .destinationFound(
                    DestinationFacts(
                        driver: "directory", canYield: Bool.random(using: &random), way: way, sourceWay: sourceWay))
            case .awaitLastAnswers: return .lastAnswersDue
            case _ where fails(): return .failed(error())
            case .tellStarted: return .toldStarted
            case .probe:
                return .probed(
                    [
                        .nothing, .nothing, .unknowable, .complete(H.done), .partial(H.state, beside: nil),
                        .partial(H.otherState, beside: H.object),
                        .other(H.object, isNewer: true), .other(H.object, isNewer: false),
                    ].randomElement(using: &random) ?? .nothing)
            case .claimSource:
                return [
                    .sourceClaimed, .sourceClaimed, .sourceClaimed, .sourceUnlocked, .sourceBusy, .sourceGone,
                    .sourceAreaUnknown("a"),
                    .sourceOriginUnknown("a"), .sourceLimited(H.error(.rateLimited)),
                ]
                .randomElement(using: &random) ?? .sourceBusy
            case .examineSource:
                return [.sourceExamined(baton.job.examined(as: H.object)), .sourceGone, .sourceOriginUnknown("a")]
                    .randomElement(using: &random) ?? .sourceGone
            case .open:
                let count = Int.random(in: 1...6, using: &random)
                return .opened(
                    SessionFacts(
                        state: state(), partCount: count, missingCount: Int.random(in: 0...count, using: &random),
                        bytesMissing: Int64(count)))
            case .complete: return .completed(H.done)
            case .readBack:
                return Int.random(in: 0..<4, using: &random) == 0
                    ? .failed(H.error(.checksumMismatch)) : .readBackMatched
            case .discard: return .discarded
            case .removeStagedCopy: return .stagedCopyRemoved
            case .withdrawTurns, .cancelRequests, .settle: return .discarded
            }
        }
    }

    @Test(.timeLimit(.minutes(10))) func `however the facts come, a slice settles once and by the rules`() {
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

extension ProbeAnswer {
    fileprivate var other: StoredObject? {
        switch self {
        case .other(let object, _): object
        case .partial(_, let object): object
        case .complete, .nothing, .unknowable: nil
        }
    }
}
