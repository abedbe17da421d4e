import Foundation
import Logging
import Synchronization
import Uploads

/// The circuits of a worker's destinations, shared by all its slices. One that was never needed takes no memory.
final class Circuits: Sendable {
    /// A slice's way through a circuit; given back once.
    struct Entry: Sendable {
        let origin: DestinationOrigin
        let pass: Circuit.Pass
    }

    enum Admission: Sendable {
        /// nil: this destination has no circuit.
        case granted(Entry?)
        case refused(until: Date, UploadError)
    }

    /// Destinations that are remembered: the configured ones, and hosts of URLs that failed of late.
    static let countMaximum = 1000

    private let circuits = Mutex<[DestinationOrigin: Circuit]>([:])
    private let rules: CircuitRules
    private let metrics: WorkerMetrics
    private let logger: Logger

    init(rules: CircuitRules, metrics: WorkerMetrics, logger: Logger) {
        self.rules = rules
        self.metrics = metrics
        self.logger = logger
    }

    func enter(_ reference: DestinationReference, at now: Date) -> Admission {
        guard let origin = DestinationOrigin(reference) else { return .granted(nil) }
        return change(origin) { circuit in
            switch circuit.admit(at: now) {
            case .granted(let pass): .granted(Entry(origin: origin, pass: pass))
            case .refused(let until, let error): .refused(until: until, error)
            }
        }
    }

    func note(_ evidence: CircuitEvidence, by job: JobID, with entry: Entry, at now: Date) {
        change(entry.origin) { $0.note(evidence, by: job, with: entry.pass, at: now) }
    }

    func leave(_ entry: Entry, at now: Date) {
        change(entry.origin) { $0.leave(entry.pass, at: now) }
    }

    /// As it was left: an open circuit whose time is over lets the next job try.
    func standing(of origin: DestinationOrigin) -> (state: Circuit.State, until: Date?) {
        circuits.withLock { circuits in
            circuits[origin].map { ($0.state, $0.openUntil) } ?? (.closed, nil)
        }
    }

    private func change<Result: Sendable>(_ origin: DestinationOrigin, _ body: (inout Circuit) -> Result) -> Result {
        let (result, before, circuit) = circuits.withLock { circuits in
            var circuit = circuits[origin] ?? Circuit(rules: rules)
            let before = circuits[origin].map(\.state)
            let result = body(&circuit)
            // A configured destination keeps its circuit, and so its turn; the host of a URL is forgotten when it works.
            if circuit.isPristine, !origin.isNamed {
                circuits[origin] = nil
            } else if circuits[origin] != nil || circuits.count < Self.countMaximum {
                circuits[origin] = circuit
            }
            // Under the lock, so that the last state is what stays.
            if origin.isNamed, circuit.state != before { metrics.circuit(of: origin.text, is: circuit.state) }
            return (result, before, circuit)
        }
        if circuit.state != before { tell(circuit, of: origin, before: before) }
        return result
    }

    private func tell(_ circuit: Circuit, of origin: DestinationOrigin, before: Circuit.State?) {
        var metadata: Logger.Metadata = [LogKeys.destination: "\(origin.text)"]
        switch circuit.state {
        case .open:
            metadata[LogKeys.until] = circuit.openUntil.map { "\($0.formatted(.iso8601))" }
            logger.warning("A destination keeps failing; its jobs wait", metadata: metadata)
        case .halfOpen: logger.info("A destination that failed is tried again", metadata: metadata)
        case .closed where before == .open || before == .halfOpen:
            logger.notice("A destination works again; its jobs go on", metadata: metadata)
        case .closed: break
        }
    }
}
