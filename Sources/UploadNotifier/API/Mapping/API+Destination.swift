import Foundation
import Uploads
import UploadsAPI

extension API.Destination {
    /// The most workers that are listed; the sums are over all.
    static let workersMaximum = 100

    /// - Parameters:
    ///   - summary: nil for a URL, and for a name that the notifier's configuration does not have.
    ///   - waiting: the newest jobs that wait for this destination.
    ///   - reports: the workers' reports of the last 30 s.
    init(
        _ load: DestinationLoad, _ summary: DestinationSummary?, waiting: [LedgerJob], reports: [DestinationReport]
    ) {
        self.init(
            name: load.destination, driver: summary?.driver, limits: summary.map { API.Limits($0.limits) },
            jobs: load.counts.byWord, bytesLeft: load.bytesLeft, circuit: API.Circuit(reports, waiting: waiting),
            limited: waiting.count { $0.reason == "limited" },
            live: reports.isEmpty ? nil : API.DestinationLive(reports),
            workers: reports.prefix(Self.workersMaximum).map { API.DestinationWorker($0) })
    }
}

extension API.Circuit {
    /// The worst circuit of those that workers reported; without a report, the circuit for which jobs wait.
    fileprivate init(_ reports: [DestinationReport], waiting: [LedgerJob]) {
        let held = waiting.filter { $0.reason == "circuitOpen" }
        let states = Set(reports.map(\.circuit))
        let state: DestinationReport.CircuitState =
            states.isEmpty
            ? (held.isEmpty ? .closed : .open)
            : states.contains(.open) ? .open : states.contains(.halfOpen) ? .halfOpen : .closed
        // Jobs go on waiting for a while after the circuit has closed.
        guard state != .closed else {
            self.init(state: state.rawValue)
            return
        }
        self.init(
            state: state.rawValue, since: held.map(\.since).min(),
            until: reports.compactMap(\.until).max() ?? held.compactMap(\.waitingUntil).max(),
            error: reports.compactMap(\.error).first ?? held.compactMap(\.trouble).first)
    }
}

extension API.DestinationWorker {
    fileprivate init(_ report: DestinationReport) {
        self.init(
            name: report.worker, origin: report.origin,
            circuit: API.Circuit(state: report.circuit.rawValue, until: report.until, error: report.error),
            jobsInFlight: max(0, report.jobsInFlight), jobsAtOnce: report.jobsAtOnce.map { max(0, $0) },
            partsInFlight: report.partsInFlight.map { max(0, $0) },
            limits: API.Limits(report.limits), bytesPerSecond: report.pace.shown, isHeld: report.pace.isHeld,
            at: report.at)
    }
}

extension API.DestinationLive {
    fileprivate init(_ reports: [DestinationReport]) {
        let atOnce = reports.compactMap(\.jobsAtOnce).map { max(0, $0) }
        self.init(
            workers: Self.count(reports) { _ in true }, failing: Self.count(reports) { $0.circuit != .closed },
            held: Self.count(reports, where: \.pace.isHeld),
            jobsInFlight: reports.map { max(0, $0.jobsInFlight) }.sumSaturating(),
            jobsAtOnce: atOnce.isEmpty ? nil : atOnce.sumSaturating(),
            partsInFlight: reports.map { max(0, $0.partsInFlight ?? 0) }.sumSaturating(),
            bytesPerSecond: reports.reduce(0) { $0 + $1.pace.shown })
    }

    private static func count(_ reports: [DestinationReport], where matches: (DestinationReport) -> Bool) -> Int {
        Set(reports.filter(matches).map(\.worker)).count
    }
}

extension API.Limits {
    fileprivate init(_ limits: TransferLimits) {
        self.init(
            jobs: limits.jobs, parts: limits.parts, bytesPerSecond: limits.bytesPerSecond,
            requestsPerSecond: limits.requestsPerSecond)
    }
}

extension DestinationReport.Pace {
    /// A worker may report any number; within these bounds sums stay finite.
    fileprivate var shown: Double { min(max(0, bytesPerSecond), 1e15) }
}
