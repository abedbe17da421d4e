import Foundation
import Logging
import Synchronization
import Uploads

/// The circuits of a worker's destinations, shared by all its slices. A circuit that was never needed takes no memory.
final class Circuits: Sendable {
    /// A slice's admission through a circuit; the slice gives it back once.
    struct Entry: Sendable {
        let origin: DestinationOrigin
        let pass: Circuit.Pass
    }

    enum Admission: Sendable {
        /// nil: this destination has no circuit.
        case granted(Entry?, servedAt: TimeInterval?)
        /// The destination takes no jobs for this many seconds.
        case refused(seconds: TimeInterval, UploadError)
    }

    /// How many destinations are remembered: the configured ones, and the hosts of URLs that failed lately.
    static let countMaximum = 1000

    private let circuits = Mutex<[DestinationOrigin: Circuit]>([:])
    private let rules: CircuitRules
    private let metrics: WorkerMetrics
    private let logger: Logger
    private let now: @Sendable () -> Date

    /// - Parameter now: a clock that never steps; its times are compared only with each other.
    init(rules: CircuitRules, metrics: WorkerMetrics, logger: Logger, now: @escaping @Sendable () -> Date) {
        self.rules = rules
        self.now = now
        self.metrics = metrics
        self.logger = logger
    }

    /// - Parameters:
    ///   - isOrdered: whether an operator has just asked for the job to run or to be cancelled.
    ///   - ability: what the slice needs there.
    func enter(
        _ reference: DestinationReference, isOrdered: Bool = false, for ability: DestinationAbility = .write
    ) -> Admission {
        guard let origin = DestinationOrigin(reference) else { return .granted(nil, servedAt: nil) }
        let now = now()
        return change(origin) { circuit in
            switch circuit.admit(at: now, isOrdered: isOrdered, for: ability) {
            case .granted(let pass):
                .granted(
                    Entry(origin: origin, pass: pass), servedAt: circuit.servedAt.map { now.timeIntervalSince($0) })
            case .refused(let until, let error): .refused(seconds: until.timeIntervalSince(now), error)
            }
        }
    }

    func note(_ evidence: CircuitEvidence, by job: JobID, with entry: Entry) {
        let now = now()
        change(entry.origin) { $0.note(evidence, by: job, with: entry.pass, at: now) }
    }

    func leave(_ entry: Entry) {
        let now = now()
        change(entry.origin) { $0.leave(entry.pass, at: now) }
    }

    /// The state of a circuit after its last change.
    struct CircuitSnapshot: Hashable, Sendable {
        var state = Circuit.State.closed
        /// For how long the circuit stays open; after this time the next job tries the destination.
        var seconds: TimeInterval?
        /// Why the circuit is not closed.
        var error: String?
    }

    func snapshot(of origin: DestinationOrigin) -> CircuitSnapshot {
        let now = now()
        return circuits.withLock { circuits in
            guard let circuit = circuits[origin] else { return CircuitSnapshot() }
            return CircuitSnapshot(
                state: circuit.state, seconds: circuit.openUntil?.timeIntervalSince(now),
                error: circuit.state == .closed ? nil : circuit.refusal.message)
        }
    }

    private func change<Result: Sendable>(_ origin: DestinationOrigin, _ body: (inout Circuit) -> Result) -> Result {
        let (result, before, circuit) = circuits.withLock { circuits in
            var circuit = circuits[origin] ?? Circuit(rules: rules)
            let (before, turn) = (circuits[origin].map(\.state), circuit.turn)
            let result = body(&circuit)
            // A configured destination keeps its circuit, also when it works; the circuit of a URL's host is dropped then.
            if circuit.isPristine, !origin.isNamed {
                circuits[origin] = nil
            } else if circuits[origin] != nil || circuits.count < Self.countMaximum {
                circuits[origin] = circuit
            }
            if circuit.turn != turn { metrics.circuitOpened(of: origin) }
            // Under the lock, so that the metric ends with the last state.
            if circuit.state != before, origin.isNamed || before != nil || circuit.state != .closed {
                metrics.circuit(of: origin, is: circuit.state) { isMeant in
                    circuits.filter { isMeant($0.key) }.map(\.value.state).max { $0.rawValue < $1.rawValue } ?? .closed
                }
            }
            return (result, before, circuit)
        }
        if circuit.state != before { tell(circuit, of: origin, before: before) }
        return result
    }

    private func tell(_ circuit: Circuit, of origin: DestinationOrigin, before: Circuit.State?) {
        var metadata: Logger.Metadata = [LogKeys.destination: "\(origin.text)"]
        switch circuit.state {
        case .open:
            metadata[LogKeys.seconds] = circuit.openUntil.map { "\(Int($0.timeIntervalSince(now()).rounded(.up)))" }
            metadata[LogKeys.error] = "\(circuit.refusal)"
            logger.warning("A destination cannot be used; its jobs wait", metadata: metadata)
        case .halfOpen: logger.info("A destination that failed is tried again", metadata: metadata)
        case .closed where before == .open || before == .halfOpen:
            logger.notice("A destination works again; its jobs go on", metadata: metadata)
        case .closed: break
        }
    }
}
