import Foundation
import Uploads
import UploadsAPI

extension NotifierAPI {
    /// Seconds that the broker may take to answer what its queues hold.
    private static let brokerSecondsMaximum = 3.0

    /// The current page, at most ``DashboardFeed/ageMaximum`` old.
    /// - Throws: `UploadError` when the ledger cannot be read.
    func dashboardPage(for caller: APICaller) async throws -> DashboardPage {
        let model = try await dashboard.feed.model { [self] in try await dashboardModel() }
        return DashboardPage(model, for: DashboardViewer(caller))
    }

    private func dashboardModel() async throws -> DashboardModel {
        let now = clock.now()
        let minutes = Double(DashboardModel.minutesCount - 1)
        let loads = try await ledger.queues(throughputSince: now.addingTimeInterval(-60 * minutes))
        let facts = await dashboard.feed.facts { [self] in await brokerFacts(of: loads.map(\.queue)) }
        var model = DashboardModel(at: now)
        model.isBrokerThere = facts.control != nil && facts.depths != nil
        if !model.isBrokerThere {
            model.problems.append(
                "The notifier cannot ask the broker just now: figures are those of the ledger, and orders have to wait. "
                    + "It goes on by itself; /readyz says what it waits for.")
        }
        model.counts = try await ledger.counts()
        model.minutes = DashboardModel.minutes(of: loads, until: now)
        let known = Set(loads.map(\.queue))
        let others = (facts.control?.stoppedQueues ?? []).subtracting(known).map { QueueLoad(queue: $0) }
        let heldUp = try await holdUps(of: loads)
        model.queues = (loads + others).sorted { $0.queue.rawValue < $1.queue.rawValue }.map { load in
            API.Queue(
                load, lanes: facts.depths.map { $0[load.queue] ?? [:] }, control: facts.control,
                heldUp: heldUp[load.queue] ?? [], pace: paces.pace(of: load.queue))
        }
        // In the order in which they began, so that no row moves when another ends.
        model.running = try await ledger.latest(.running, limit: 100).reversed().prefix(DashboardPage.listMaximum)
            .map { running($0) }
        model.failures = try await ledger.failureGroups(
            queue: nil, endedSince: nil, limit: DashboardPage.listMaximum + 1
        ).map { API.FailureGroup($0) }
        model.delegates = try await allDelegates()
        model.destinations = try await allDestinations()
        model.deadLetters = try await ledger.unreadableCount(DeadLetterListing(isReplayed: false))
        return model
    }

    /// A running job with its latest progress report; without one, with the bytes of its last event in the ledger.
    private func running(_ job: LedgerJob) -> DashboardModel.Running {
        let size = job.baton.job.size
        guard let live = progress.progress(of: job.id) else {
            return DashboardModel.Running(
                job: API.Job(job, on: progress), bytesDone: min(size, max(0, job.baton.bytesSent)))
        }
        return DashboardModel.Running(
            job: API.Job(job, on: progress), bytesDone: min(size, max(0, live.bytesDone)),
            bytesPerSecond: live.bytesPerSecond)
    }

    private func brokerFacts(of queues: [QueueName]) async -> DashboardFeed.BrokerFacts {
        let operations = operations
        let facts = try? await withTimeLimit(Self.brokerSecondsMaximum) {
            let control = try await operations.controlView()
            return DashboardFeed.BrokerFacts(
                control: control,
                depths: try await operations.depths(of: queues + control.stoppedQueues.subtracting(queues)))
        }
        return facts ?? DashboardFeed.BrokerFacts()
    }
}
