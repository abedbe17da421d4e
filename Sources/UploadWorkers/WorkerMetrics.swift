import Foundation
import Metrics
import Synchronization
import Uploads

/// The metrics of a worker. Labels are bounded: served queues, configured destinations, closed sets of words, and the first hosts of URLs
/// whose circuits open.
final class WorkerMetrics: Sendable {
    private struct Key: Hashable, Sendable {
        var label: String
        var dimensions: [String]
    }

    private struct State: Sendable {
        var counters: [Key: Counter] = [:]
        var timers: [Key: Metrics.Timer] = [:]
        var meters: [Key: Meter] = [:]
        /// The hosts of URLs that label metrics, by the circuits' origins.
        var hosts: Set<DestinationOrigin> = []
    }

    /// Hosts of URLs that label metrics; producers choose them. All further hosts are ``others``, whatever their schemes.
    static let hostsMaximum = 50
    static let others = [("destination", "other"), ("host", "other")]

    private let factory: any MetricsFactory
    private let state = Mutex(State())
    private let inFlight: Meter
    private let clockAhead: Meter

    init(factory: any MetricsFactory) {
        self.factory = factory
        inFlight = Meter(label: "upload_in_flight", factory: factory)
        inFlight.set(0)
        clockAhead = Meter(label: "upload_clock_ahead_seconds", factory: factory)
        clockAhead.set(0)
    }

    /// - Parameter now: for a job that no worker has held before, compared with the time at which it was enqueued, or was due.
    func sliceBegins(of baton: Baton, at now: Date) {
        inFlight.increment()
        guard !baton.mustProbe else { return }
        let due = max(baton.job.enqueuedAt, baton.job.notBefore ?? .distantPast)
        timer("upload_queue_lag_seconds", [("queue", baton.job.queue.rawValue)])
            .recordSeconds(max(0, now.timeIntervalSince(due)))
    }

    /// - Parameter seconds: how far this host's clock is ahead of the last clock that disagreed; negative: behind.
    func clock(isAhead seconds: TimeInterval) { clockAhead.set(seconds) }

    func sliceEnds() { inFlight.decrement() }

    func settled(_ slice: SettledSlice, of baton: Baton, destination: String) {
        let place = [("queue", baton.job.queue.rawValue), ("destination", destination)]
        count("upload_slices_total", [("settlement", slice.settlement.label)])
        if slice.report.bytesSent > 0 { count("upload_bytes_total", place, by: slice.report.bytesSent) }
        switch slice.settlement {
        case .ended(let outcome):
            count("upload_jobs_total", place + [("outcome", outcome.label)])
            timer("upload_seconds", place).recordSeconds(baton.activeSeconds + slice.report.activeSeconds)
        case .wait(_, reason: .retry(let error), _):
            count("upload_retries_total", [("code", error.code.description)])
        case .wait, .handOver, .altered, .superseded, .abandoned: break
        }
    }

    /// Counts an opening of a circuit.
    func circuitOpened(of origin: DestinationOrigin) {
        count("upload_circuit_openings_total", circuitLabels(of: origin, isFailing: true))
    }

    /// Shows the state of a circuit. A host of a URL is shown from the first time on that its circuit opens.
    /// - Parameter worst: the worst state of the circuits of these origins, for the hosts that have no series of their own.
    func circuit(
        of origin: DestinationOrigin, is circuit: Circuit.State, worst: ((DestinationOrigin) -> Bool) -> Circuit.State
    ) {
        let label = "upload_circuit_state"
        let isShown = state.withLock { state in
            origin.isNamed || circuit == .open || state.hosts.contains(origin)
                || state.hosts.count >= Self.hostsMaximum
        }
        guard isShown else { return }
        let dimensions = circuitLabels(of: origin, isFailing: circuit == .open)
        var shown = circuit
        let hosts = state.withLock { $0.hosts }
        if !origin.isNamed, !hosts.contains(origin) { shown = worst { !$0.isNamed && !hosts.contains($0) } }
        let key = Key(label: label, dimensions: dimensions.map(\.1))
        let meter = state.withLock { state in
            if let meter = state.meters[key] { return meter }
            let meter = Meter(label: label, dimensions: dimensions, factory: factory)
            state.meters[key] = meter
            return meter
        }
        meter.set(shown.rawValue)
    }

    /// - Parameter isFailing: whether a host that is new gets a series of its own, while there are few.
    private func circuitLabels(of origin: DestinationOrigin, isFailing: Bool) -> [(String, String)] {
        guard !origin.isNamed else { return [("destination", origin.text)] }
        let isKnown = state.withLock { state in
            if isFailing, state.hosts.count < Self.hostsMaximum { state.hosts.insert(origin) }
            return state.hosts.contains(origin)
        }
        return isKnown ? [("destination", origin.scheme), ("host", origin.host)] : Self.others
    }

    private func count(_ label: String, _ dimensions: [(String, String)], by amount: Int64 = 1) {
        let key = Key(label: label, dimensions: dimensions.map(\.1))
        let counter = state.withLock { state in
            if let counter = state.counters[key] { return counter }
            let counter = Counter(label: label, dimensions: dimensions, factory: factory)
            state.counters[key] = counter
            return counter
        }
        counter.increment(by: amount)
    }

    private func timer(_ label: String, _ dimensions: [(String, String)]) -> Metrics.Timer {
        let key = Key(label: label, dimensions: dimensions.map(\.1))
        return state.withLock { state in
            if let timer = state.timers[key] { return timer }
            let timer = Metrics.Timer(label: label, dimensions: dimensions, factory: factory)
            state.timers[key] = timer
            return timer
        }
    }
}
