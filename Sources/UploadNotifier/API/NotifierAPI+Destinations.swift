import Foundation
import Hummingbird
import Uploads

extension NotifierAPI {
    var destinationRoutes: [APIRoute] {
        [
            APIRoute(.get, "/v1/destinations") { [self] _ in .json(List(destinations: try await destinationViews())) }
        ]
    }

    private struct List: Encodable { var destinations: [DestinationView] }

    /// Waiting jobs that are looked at for what they wait for.
    private static let waitingMaximum = 100

    func destinationViews() async throws -> [DestinationView] {
        let loads = try await ledger.destinations()
        let configured = Dictionary(destinations().map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        var views: [DestinationView] = []
        for name in Set(loads.map(\.destination)).union(configured.keys).union(progress.destinations).sorted() {
            let load = loads.first { $0.destination == name } ?? DestinationLoad(destination: name)
            var waiting: [LedgerJob] = []
            if load.counts[.waiting, default: 0] > 0 {
                waiting = try await ledger.jobs(
                    LedgerFilter(statuses: [.waiting], destination: name, limit: Self.waitingMaximum)
                ).jobs
            }
            views.append(
                DestinationView(load, configured[name], waiting: waiting, reports: progress.reports(at: name)))
        }
        return views
    }
}

/// A destination as the API shows it.
struct DestinationView: Encodable, Sendable {
    /// Of each worker; null is no limit.
    struct Limits: Encodable, Sendable {
        var jobs: Int?
        var parts: Int?
        var bytesPerSecond: Int64?
        var requestsPerSecond: Int?
    }

    /// Each worker has a circuit of its own: this is the worst of those that told of it lately, or, where none has, what jobs say
    /// that wait for it.
    struct Circuit: Encodable, Sendable {
        enum State: String, Encodable, Sendable { case closed, open, halfOpen }
        var state: State
        var since: Date?
        /// When it is tried again; of many the last.
        var until: Date?
        var error: String?
    }

    var name: String
    /// null for a URL, and for a name that the notifier's configuration does not have.
    var driver: String?
    var limits: Limits?
    var jobs: [String: Int]
    var bytesLeft: Int64
    var circuit: Circuit
    /// Jobs, of the newest that wait, which a limit holds up.
    var limited: Int
    /// The sum of what workers tell; null where none has told anything for half a minute.
    var live: Live?
    /// The first of them, by name.
    var workers: [Worker]

    /// - Parameter reports: what workers told lately.
    init(
        _ load: DestinationLoad, _ summary: DestinationSummary?, waiting: [LedgerJob],
        reports: [DestinationReport]
    ) {
        name = load.destination
        driver = summary?.driver
        limits = summary.map { Limits($0.limits) }
        jobs = Dictionary(
            uniqueKeysWithValues: LedgerStatus.allCases.map { ($0.rawValue, load.counts[$0] ?? 0) })
        bytesLeft = load.bytesLeft
        let held = waiting.filter { $0.reason == "circuitOpen" }
        let state = Circuit.State(reports) ?? (held.isEmpty ? .closed : .open)
        // Jobs go on waiting for a while after the circuit has closed.
        circuit =
            state == .closed
            ? Circuit(state: .closed)
            : Circuit(
                state: state, since: held.map(\.since).min(),
                until: reports.compactMap(\.until).max() ?? held.compactMap(\.waitingUntil).max(),
                error: reports.compactMap(\.error).first ?? held.compactMap(\.trouble).first)
        live = reports.isEmpty ? nil : Live(reports)
        workers = reports.prefix(Self.workersMaximum).map { Worker($0) }
        limited = waiting.count { $0.reason == "limited" }
    }
}
