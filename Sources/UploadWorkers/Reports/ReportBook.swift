import Foundation
import Uploads

/// Decides what a worker tells of its destinations, and when: a pure value.
///
/// Told is a change of the circuit as soon as it is seen; otherwise every ``DestinationReport/interval`` what has anything under
/// way or a circuit that is not closed, and once that it has fallen idle. What stays idle is not spoken of.
struct ReportBook: Sendable {
    /// What is seen at one look. Counts since the worker began never fall.
    struct Facts: Hashable, Sendable {
        var origin: DestinationOrigin
        /// The configured name, or the scheme of a URL.
        var label: String
        var circuit = Circuit.State.closed
        var until: Date?
        var error: String?
        var jobsInFlight = 0
        var partsInFlight = 0
        var bytesSent = 0
        var visitCount = 0
        var limits = TransferLimits()
        var isHeld = false

        var isIdle: Bool { jobsInFlight == 0 && circuit == .closed }
    }

    private struct Told: Sendable {
        var facts: Facts
        var at: Date
        /// From where the rate is measured.
        var base: (at: Date, bytes: Int)
    }

    private let worker: String
    private var told: [DestinationOrigin: Told] = [:]
    private var lookedAt: Date?

    init(worker: String) { self.worker = worker }

    /// Takes a look at all destinations.
    mutating func due(_ all: [Facts], at now: Date) -> [DestinationReport] {
        let seen = Set(all.map(\.origin))
        told = told.filter { seen.contains($0.key) }
        defer { lookedAt = now }
        return all.compactMap { report($0, at: now) }
    }

    private mutating func report(_ facts: Facts, at now: Date) -> DestinationReport? {
        let last = told[facts.origin]
        guard isDue(facts, after: last, at: now) else {
            if facts.isIdle { told[facts.origin]?.base = (now, facts.bytesSent) }
            return nil
        }
        let base = last?.base ?? (at: lookedAt ?? now, bytes: 0)
        let seconds = now.timeIntervalSince(base.at)
        let moved = Double(max(0, facts.bytesSent - base.bytes))
        told[facts.origin] = Told(facts: facts, at: now, base: (now, facts.bytesSent))
        return DestinationReport(
            worker: worker, destination: facts.label, origin: facts.origin.isNamed ? nil : facts.origin.text,
            circuit: DestinationReport.CircuitState(facts.circuit), until: facts.until,
            error: facts.error, jobsInFlight: facts.jobsInFlight, partsInFlight: facts.partsInFlight,
            limits: facts.limits,
            pace: DestinationReport.Pace(
                bytesPerSecond: facts.jobsInFlight == 0 || seconds <= 0 ? 0 : (moved / seconds).rounded(),
                isHeld: facts.isHeld),
            at: now)
    }

    /// It is computed anew at each look, from a clock that runs beside the one of the day.
    private func isOther(_ until: Date?, than last: Date?) -> Bool {
        guard let until, let last else { return (until == nil) != (last == nil) }
        return abs(until.timeIntervalSince(last)) > 0.5
    }

    private func isDue(_ facts: Facts, after last: Told?, at now: Date) -> Bool {
        guard let last else { return !facts.isIdle || facts.visitCount > 0 }
        if facts.circuit != last.facts.circuit || isOther(facts.until, than: last.facts.until) { return true }
        let age = now.timeIntervalSince(last.at)
        // A clock that was set back must not silence it.
        guard age >= DestinationReport.interval || age < 0 else { return false }
        return !facts.isIdle || !last.facts.isIdle || facts.visitCount != last.facts.visitCount
    }
}
