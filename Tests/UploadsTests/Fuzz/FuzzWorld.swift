import Foundation
import UploadTesting

@testable import Uploads

/// One job in the ledger, and the damaged messages about it that come to the notifier and to a worker.
struct FuzzWorld {
    /// The value that the last step wrote, as readers will see it; nil if it could not be written.
    private(set) var written: [(FuzzSample, Data?)] = []
    private var job: LedgerJob?

    private static let batonKind = FuzzSample(FuzzSamples.baton(of: FuzzSamples.job))
    private static let eventKind = FuzzSample(
        UploadEvent(kind: .started, of: FuzzSamples.baton(of: FuzzSamples.job), at: FuzzSamples.time))
    private static let markerKind = FuzzSample(IssueMarker(job: JobID(), round: 1, generation: 1))
    private static let entryKind = FuzzSample(ControlEntry.marker(UUID()))

    /// A message comes to the notifier, and a worker works on a baton.
    mutating func step(_ fuzz: inout Fuzz) throws {
        written = []
        if fuzz.chance(30) { job = nil }
        let known = job?.baton ?? FuzzSamples.baton(of: fuzz.pick(FuzzSamples.jobs))
        let machine = IssuingMachine(
            fence: fuzz.chance(4)
                ? fuzz.number(in: 0...WireLimits.countMaximum) : fuzz.pick([0, 2, 5, WireLimits.countMaximum]),
            now: FuzzSamples.time)
        if let message = try message(about: known, &fuzz) {
            let decision = machine.receive(message, for: job)
            job = decision.job
            note(decision)
        }
        if let known = job, let decision = try? machine.order(fuzz.pick(Verb.allCases), of: known) {
            job = decision.job
            note(decision)
            if let wish = decision.job?.wish { note(machine.receive(.marker(wish.marker), for: decision.job)) }
        }
        if let baton = try? WireJSON.decode(Baton.self, from: fuzz.damaged(known)) { work(on: baton, &fuzz) }
    }

    private func message(about baton: Baton, _ fuzz: inout Fuzz) throws -> NotifierMessage? {
        switch fuzz.number(in: 0...4) {
        case 4:
            let causes: [DeathCause] = [
                .noLane, .expired(queue: "q"), .overflowed(queue: "q"), .deliveryLimit, .other("why"),
            ]
            return (try? WireJSON.decode(Baton.self, from: fuzz.damaged(baton))).map {
                .deadBaton($0, fuzz.pick(causes))
            }
        case 0:
            return (try? WireJSON.decode(UploadJob.self, from: fuzz.damaged(baton.job)))
                .map { .job($0, maybeRepeated: fuzz.chance(2)) }
        case 1:
            guard let wish = job?.wish else { return nil }
            return (try? WireJSON.decode(IssueMarker.self, from: fuzz.damaged(wish.marker))).map { .marker($0) }
        default:
            let event = fuzz.pick(FuzzSamples.events(of: baton))
            return (try? WireJSON.decode(UploadEvent.self, from: fuzz.damaged(event))).map { .event($0) }
        }
    }

    private mutating func note(_ decision: IssuingDecision) {
        for action in decision.actions {
            switch action {
            case .record(let event), .outcome(let event): write(event, Self.eventKind)
            case .mark(let marker): write(marker, Self.markerKind)
            case .issue(let baton, _, _): write(baton, Self.batonKind)
            case .append(let entry): write(entry, Self.entryKind)
            default: break
            }
        }
    }

    private mutating func work(on baton: Baton, _ fuzz: inout Fuzz) {
        let report = SliceReport(
            bytesSent: max(0, fuzz.integer()), activeSeconds: abs(fuzz.double()), startedAt: FuzzSamples.time)
        let until = FuzzSamples.time + Double(fuzz.number(in: -5...1_000_000))
        let settlements: [Settlement] = [
            .ended(.completed(FuzzSamples.object, response: nil)),
            .ended(.failed(FuzzSamples.error, state: baton.state)),
            .handOver(baton.state), .altered(baton.job.renamed ?? baton.job),
            .wait(until: until, reason: .retry(FuzzSamples.error), state: baton.state),
            .wait(until: until, reason: .unknownDestination, state: nil),
        ]
        let plan = SettlementPlan(
            SettledSlice(fuzz.pick(settlements), report: report), of: baton, from: fuzz.pick(Lane.allCases),
            now: FuzzSamples.time)
        if let onward = plan.onward { write(onward.baton, Self.batonKind) }
        if let event = plan.event { write(event, Self.eventKind) }
        var random = SeededGenerator(seed: fuzz.word())
        _ = (baton.job.retry ?? RetryPolicy()).decide(
            attempt: baton.attempts, error: FuzzSamples.error, age: fuzz.double(), using: &random)
        _ =
            (try? PartPlan(
                size: baton.job.size,
                limits: PartLimits(partBytesMinimum: 1, partBytesMaximum: 5 << 30, partCountMaximum: 10_000)))?.count
    }

    private mutating func write(_ value: some Encodable, _ kind: FuzzSample) {
        written.append((kind, try? WireJSON.encode(value)))
    }
}
