import Foundation
import Uploads

/// Decides what a worker reports of its destinations, and when: a pure value.
///
/// Reports each change of a circuit as soon as it is seen. Otherwise it reports, every ``DestinationReport/interval``, a destination
/// that has a job under way or a circuit that is not closed, and once more when it has fallen idle, but not while it stays idle.
struct ReportBook: Sendable {
    /// The state of a destination at one look. Counts since the worker began never fall.
    struct Facts: Hashable, Sendable {
        var origin: DestinationOrigin
        /// The configured name, or the scheme of a URL.
        var label: String
        var circuit = Circuit.State.closed
        var until: Date?
        var error: String?
        var jobsInFlight = 0
        var jobsAtOnce: Int?
        var partsInFlight = 0
        var bytesSent = 0
        var visitCount = 0
        var limits = TransferLimits()
        var isHeld = false

        var isIdle: Bool { jobsInFlight == 0 && circuit == .closed }
    }

    private struct Reported: Sendable {
        var facts: Facts
        var at: Date
        /// Where the measurement of the rate begins.
        var base: (at: Date, bytes: Int)
    }

    private let worker: String
    private var reported: [DestinationOrigin: Reported] = [:]
    private var lookedAt: Date?

    init(worker: String) { self.worker = worker }

    /// - Returns: the reports that are due after a look at all destinations.
    mutating func due(_ all: [Facts], at now: Date) -> [DestinationReport] {
        let seen = Set(all.map(\.origin))
        reported = reported.filter { seen.contains($0.key) }
        defer { lookedAt = now }
        return all.compactMap { report($0, at: now) }
    }

    private mutating func report(_ facts: Facts, at now: Date) -> DestinationReport? {
        let last = reported[facts.origin]
        guard isDue(facts, after: last, at: now) else {
            if facts.isIdle { reported[facts.origin]?.base = (now, facts.bytesSent) }
            return nil
        }
        let base = last?.base ?? (at: lookedAt ?? now, bytes: 0)
        let seconds = now.timeIntervalSince(base.at)
        let moved = Double(max(0, facts.bytesSent - base.bytes))
        reported[facts.origin] = Reported(facts: facts, at: now, base: (now, facts.bytesSent))
        return DestinationReport(
            worker: worker, destination: facts.label, origin: facts.origin.isNamed ? nil : facts.origin.text,
            circuit: DestinationReport.CircuitState(facts.circuit), until: facts.until,
            error: facts.error, jobsInFlight: facts.jobsInFlight, jobsAtOnce: facts.jobsAtOnce,
            partsInFlight: facts.partsInFlight, limits: facts.limits,
            pace: DestinationReport.Pace(
                bytesPerSecond: facts.jobsInFlight == 0 || seconds <= 0 ? 0 : (moved / seconds).rounded(),
                isHeld: facts.isHeld),
            at: now)
    }

    /// Whether the end of the open circuit differs. Each look computes it anew, from a clock that drifts against the time of day.
    private func isOther(_ until: Date?, than last: Date?) -> Bool {
        guard let until, let last else { return (until == nil) != (last == nil) }
        return abs(until.timeIntervalSince(last)) > 0.5
    }

    private func isDue(_ facts: Facts, after last: Reported?, at now: Date) -> Bool {
        guard let last else { return !facts.isIdle || facts.visitCount > 0 }
        if facts.circuit != last.facts.circuit || isOther(facts.until, than: last.facts.until) { return true }
        let age = now.timeIntervalSince(last.at)
        // A clock that was set back must not silence the destination.
        guard age >= DestinationReport.interval || age < 0 else { return false }
        return !facts.isIdle || !last.facts.isIdle || facts.visitCount != last.facts.visitCount
    }
}
