import Foundation
import Hummingbird
import Uploads
import UploadsAPI

extension NotifierAPI {
    var destinationRoutes: [APIRoute] {
        [
            APIRoute(.get, "/v1/destinations") { [self] _ in
                .json(API.DestinationList(destinations: try await allDestinations()))
            }
        ]
    }

    /// The most waiting jobs of a destination that are looked at for the reason of their wait.
    private static let waitingMaximum = 100

    func allDestinations() async throws -> [API.Destination] {
        let loads = try await ledger.destinations()
        let configured = Dictionary(destinations().map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        var all: [API.Destination] = []
        for name in Set(loads.map(\.destination)).union(configured.keys).union(progress.destinations).sorted() {
            let load = loads.first { $0.destination == name } ?? DestinationLoad(destination: name)
            var waiting: [LedgerJob] = []
            if load.counts[.waiting, default: 0] > 0 {
                waiting = try await ledger.jobs(
                    LedgerFilter(statuses: [.waiting], destination: name, limit: Self.waitingMaximum)
                ).jobs
            }
            all.append(
                API.Destination(load, configured[name], waiting: waiting, reports: progress.reports(at: name)))
        }
        return all
    }
}
