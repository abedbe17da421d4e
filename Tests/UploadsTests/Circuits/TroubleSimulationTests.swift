import Foundation
import Testing

@testable import Uploads

/// A thousand jobs wait for a worker of 16 slots whose destination is in trouble for ten minutes, by a clock that the
/// test moves. Machines, circuit and settlements are those of production; there is no I/O.
@Suite struct TroubleSimulationTests {
    enum Trouble: String, CaseIterable, CustomTestStringConvertible {
        case full, away, credentials, refused, throttled, busy, unreachable, failing

        var testDescription: String { rawValue }

        /// The error that a probe meets; nil: it is answered.
        var atLook: UploadError? {
            switch self {
            case .full, .throttled: nil
            default: atWrite
            }
        }

        var atWrite: UploadError {
            switch self {
            case .full: Self.error(.noSpace, 507)
            case .away: Self.error(.destinationAway, nil)
            case .credentials: Self.error(.wrongCredentials, 403)
            case .refused: Self.error(.accessDenied, 403)
            case .throttled: Self.error(.rateLimited, 503)
            case .busy: Self.error(.serverFailure, 503, retry: .after(seconds: 20))
            case .unreachable: Self.error(.networkFailure, nil)
            case .failing: Self.error(.serverFailure, 500)
            }
        }

        private static func error(
            _ code: UploadError.Code, _ status: Int?, retry: UploadError.Retry? = nil
        ) -> UploadError {
            UploadError(
                code, "it went wrong: look", retry: retry, response: status.map { ServerResponse(status: $0) })
        }
    }

    private static let slots = 16
    private static let stepSeconds = 0.05
    private static let troubleSeconds: TimeInterval = 600

    /// A slice under way, and the answer that it waits for.
    private struct Running {
        var machine: SliceMachine
        var pass: Circuit.Pass?
        var question: SliceAction
        var answeredAt: Date
    }

    private struct World {
        let trouble: Trouble
        let start = Date(timeIntervalSince1970: 1_800_000_000)
        var now = Date(timeIntervalSince1970: 1_800_000_000)
        var circuit = Circuit(seed: 1)
        /// Sorted, the slice that is due first comes last.
        var waiting: [(due: Date, baton: Baton)] = []
        var running: [Running] = []
        var outcomes: [JobID: Outcome] = [:]
        var attemptsMost = 0
        var requests = 0

        var isInTrouble: Bool { now < start + TroubleSimulationTests.troubleSeconds }

        /// - Returns: false when nothing is left to do.
        mutating func step() -> Bool {
            while running.count < TroubleSimulationTests.slots,
                let next = waiting.last, next.due <= now
            {
                begin(waiting.removeLast().baton)
            }
            let times =
                running.map(\.answeredAt)
                + (running.count < TroubleSimulationTests.slots ? waiting.suffix(1).map(\.due) : [])
            guard let next = times.min() else { return false }
            now = max(now, next)
            while let index = running.firstIndex(where: { $0.answeredAt <= now }) { answer(running.remove(at: index)) }
            return true
        }

        private mutating func begin(_ baton: Baton) {
            let machine = SliceMachine(baton: baton, seed: UInt64(baton.slice))
            go(on: machine, pass: nil, with: .begun)
        }

        /// Answers actions that ask neither destination nor broker, until the destination is asked or the slice
        /// settles.
        private mutating func go(on machine: SliceMachine, pass: Circuit.Pass?, with fact: SliceFact) {
            var (machine, pass, fact) = (machine, pass, fact)
            while let action = machine.handle(fact, at: now).first {
                switch action {
                case .checkValidity: fact = .validity(.holds)
                case .claimSource: fact = .sourceClaimed
                case .findDestination:
                    var way = DestinationFacts.Way.free
                    switch circuit.admit(at: now) {
                    case .granted(let granted):
                        pass = granted
                        if granted.isTrial { way = .trial(granted.ability) }
                    case .refused(let until, let error): way = .blocked(until: until, error)
                    }
                    fact = .destinationFound(
                        DestinationFacts(driver: "http", canYield: false, way: way, servedAt: circuit.servedAt))
                // A session of one request opens and completes without asking the destination.
                case .open:
                    fact = .opened(SessionFacts(state: nil, partCount: 1, missingCount: 1, bytesMissing: 100))
                case .complete: fact = .completed(SliceHarness.done)
                case .settle(let settlement):
                    settle(settlement, of: machine.baton, pass)
                    return
                default:
                    if action.isAtDestination { requests += 1 }
                    var seconds = TroubleSimulationTests.stepSeconds
                    if case .waitToRetry(_, let milliseconds) = action { seconds = Double(milliseconds) / 1000 }
                    running.append(
                        Running(machine: machine, pass: pass, question: action, answeredAt: now + seconds))
                    return
                }
            }
        }

        private mutating func answer(_ slice: Running) {
            let fact: SliceFact
            switch slice.question {
            case .sendPart(let index):
                fact = isInTrouble ? .partFailed(index, trouble.atWrite) : .partAccepted(index, nil)
            case .waitToRetry(let index, _): fact = .retryDue(index)
            default:
                let error = isInTrouble ? trouble.atLook : nil
                fact = error.map { .failed($0) } ?? .probed(.nothing)
            }
            let reference = slice.machine.baton.job.destination
            if slice.question.isAtDestination, let pass = slice.pass,
                let evidence = CircuitEvidence(fact, of: reference, isWrite: slice.question.isWrite)
            {
                circuit.note(evidence, by: slice.machine.baton.job.id, with: pass, at: now)
            }
            go(on: slice.machine, pass: slice.pass, with: fact)
        }

        private mutating func settle(_ settlement: Settlement, of baton: Baton, _ pass: Circuit.Pass?) {
            if let pass { circuit.leave(pass, at: now) }
            if case .ended(let outcome) = settlement { outcomes[baton.job.id] = outcome }
            let slice = SettledSlice(settlement, report: SliceReport(startedAt: now))
            guard let onward = SettlementPlan(slice, of: baton, now: now).onward else { return }
            attemptsMost = max(attemptsMost, onward.baton.attempts)
            wait(until: now + (onward.delay ?? 0), onward.baton)
        }

        mutating func wait(until due: Date, _ baton: Baton) {
            var low = 0
            var high = waiting.count
            while low < high {
                let middle = (low + high) / 2
                if waiting[middle].due > due { low = middle + 1 } else { high = middle }
            }
            waiting.insert((due, baton), at: low)
        }
    }

    @Test(arguments: Trouble.allCases)
    func `a thousand jobs wait through ten minutes of it, ask little, and are all completed`(trouble: Trouble) {
        var world = World(trouble: trouble)
        for _ in 0..<1000 {
            var job = SliceHarness.job()
            job.id = JobID()
            world.wait(until: world.start, Baton(job: job))
        }
        while world.isInTrouble, world.step() {}
        let asked = world.requests
        while world.step() {}
        #expect(world.outcomes.count == 1000)
        let failed = world.outcomes.values.filter { if case .failed = $0 { true } else { false } }
        #expect(failed.isEmpty, "\(failed.first.map { "\($0)" } ?? "")")
        #expect(world.attemptsMost <= 2)
        #expect(Double(asked) < 2 * Self.troubleSeconds, "\(asked) requests")
        // The last ones come back within the longest wait of a job after the longest pause of the circuit.
        #expect(world.now <= world.start + Self.troubleSeconds + 300)
    }
}
