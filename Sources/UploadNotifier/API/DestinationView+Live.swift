import Foundation
import Uploads

extension DestinationView {
    /// Most workers that are listed; the sums are over all.
    static let workersMaximum = 100

    /// A destination as one worker found it last.
    struct Worker: Encodable, Sendable {
        var name: String
        /// Scheme, host and port, where the destination is a scheme.
        var origin: String?
        var circuit: Circuit
        var jobsInFlight: Int
        var partsInFlight: Int?
        /// As this worker's configuration has them.
        var limits: Limits
        var bytesPerSecond: Double
        /// Whether a limit of bytes or requests makes somebody wait.
        var isHeld: Bool
        var at: Date

        init(_ report: DestinationReport) {
            name = report.worker
            origin = report.origin
            circuit = Circuit(state: Circuit.State(report.circuit), until: report.until, error: report.error)
            jobsInFlight = max(0, report.jobsInFlight)
            partsInFlight = report.partsInFlight.map { max(0, $0) }
            limits = Limits(report.limits)
            bytesPerSecond = report.pace.shown
            isHeld = report.pace.isHeld
            at = report.at
        }
    }

    /// All workers that told of it within the last half minute, together.
    struct Live: Encodable, Sendable {
        var workers: Int
        /// Workers whose circuit is not closed.
        var failing: Int
        /// Workers that a limit of bytes or requests holds up.
        var held: Int
        var jobsInFlight: Int
        var partsInFlight: Int
        var bytesPerSecond: Double

        init(_ reports: [DestinationReport]) {
            workers = Self.count(reports) { _ in true }
            failing = Self.count(reports) { $0.circuit != .closed }
            held = Self.count(reports, where: \.pace.isHeld)
            jobsInFlight = reports.map { max(0, $0.jobsInFlight) }.sumSaturating()
            partsInFlight = reports.map { max(0, $0.partsInFlight ?? 0) }.sumSaturating()
            bytesPerSecond = reports.reduce(0) { $0 + $1.pace.shown }
        }

        private static func count(_ reports: [DestinationReport], where matches: (DestinationReport) -> Bool) -> Int {
            Set(reports.filter(matches).map(\.worker)).count
        }
    }
}

extension DestinationView.Circuit.State {
    init(_ state: DestinationReport.CircuitState) {
        switch state {
        case .closed: self = .closed
        case .open: self = .open
        case .halfOpen: self = .halfOpen
        }
    }

    /// The worst of many.
    init?(_ reports: [DestinationReport]) {
        let states = Set(reports.map(\.circuit))
        guard !states.isEmpty else { return nil }
        self = states.contains(.open) ? .open : states.contains(.halfOpen) ? .halfOpen : .closed
    }
}

extension DestinationReport.Pace {
    /// What is told may be anything; sums stay finite.
    fileprivate var shown: Double { min(max(0, bytesPerSecond), 1e15) }
}

extension DestinationView.Limits {
    init(_ limits: TransferLimits) {
        self.init(
            jobs: limits.jobs, parts: limits.parts, bytesPerSecond: limits.bytesPerSecond,
            requestsPerSecond: limits.requestsPerSecond)
    }
}
