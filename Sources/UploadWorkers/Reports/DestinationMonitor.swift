import Foundation
import Uploads

/// Looks at a worker's destinations once a second and publishes the reports that its ``ReportBook`` finds due.
struct DestinationMonitor: Sendable {
    private static let lookInterval = Duration.seconds(1)
    /// Destinations that are reported at one look, those whose circuits are not closed first.
    static let countMaximum = 200
    /// Seconds after which a URL's host that failed, and that no job has used since, is no longer reported.
    static let forgottenAfter: TimeInterval = 600

    let worker: String
    let runner: SliceRunner
    let reporter: any WorkerReporter

    /// Works until the task is cancelled.
    func run() async {
        var book = ReportBook(worker: worker)
        while (try? await runner.clock.sleep(for: Self.lookInterval)) != nil {
            let now = runner.now()
            for report in book.due(facts(at: now), at: now) { reporter.tell(report) }
        }
    }

    private func facts(at now: Date) -> [ReportBook.Facts] {
        let all = runner.traffics.all.map { facts(of: $0) }.filter { facts in
            guard !facts.origin.isNamed, facts.jobsInFlight == 0, let until = facts.until else { return true }
            return now < until + Self.forgottenAfter
        }
        guard all.count > Self.countMaximum else { return all }
        let failing = all.filter { $0.circuit != .closed }
        return Array((failing + all.filter { $0.circuit == .closed }).prefix(Self.countMaximum))
    }

    private func facts(of traffic: DestinationTraffic) -> ReportBook.Facts {
        var facts = ReportBook.Facts(origin: traffic.origin, label: traffic.reference.label)
        let snapshot = runner.circuits.snapshot(of: traffic.origin)
        facts.circuit = snapshot.state
        facts.until = snapshot.seconds.map { runner.now() + $0 }
        facts.error = snapshot.error
        facts.jobsInFlight = traffic.jobsInFlight
        facts.jobsAtOnce = runner.gate.width(at: facts.label)
        facts.partsInFlight = traffic.partsInFlight
        facts.bytesSent = traffic.bytesSent
        facts.visitCount = traffic.visitCount
        facts.limits =
            (try? runner.destinations.destination(for: traffic.reference))?.limits ?? TransferLimits()
        facts.isHeld = runner.paces.pace(of: traffic.reference)?.hasWaitingSlices ?? false
        return facts
    }
}
