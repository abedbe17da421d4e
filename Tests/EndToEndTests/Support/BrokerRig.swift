import Foundation
import Logging
import RabbitMQ
import Synchronization
import UploadClient
import UploadDestinations
import UploadSources
import UploadTesting
import UploadWorkers
import Uploads
import UploadsRabbitMQ

@testable import UploadClientTesting

/// Managers over a broker, with a worker in this process whose destination a test can block.
final class BrokerRig: ManagerRig {
    let gate = Gate()
    private let deployment: Deployment
    private let broker: UploadBroker
    private let worker: UploadWorker
    private let working: Task<Void, any Error>
    private let workersEnd = Box("runs")
    private let managers = Mutex<[BrokerUploadManager]>([])

    init(_ deployment: Deployment) async throws {
        self.deployment = deployment
        let logger = Logger(label: "e2e") { _ in SwiftLogNoOpLogHandler() }
        broker = try await UploadBroker.connect(
            try ConnectionConfiguration(urls: [deployment.broker.url]), namespace: deployment.namespace,
            shards: deployment.shards, logger: logger)
        let archive = DirectoryDestination(DirectoryConfiguration(path: deployment.uploaded.path))
        let worker = UploadWorker(
            queue: try await broker.jobQueue(JobQueueConfiguration()),
            destinations: Destinations(archive: GatedDestination(inner: archive, gate: gate)),
            sources: LocalSources(areas: [try await StagingArea.open(at: deployment.staging.path)], roots: []),
            configuration: WorkerConfiguration(concurrency: 8, grace: .seconds(5)), logger: logger)
        self.worker = worker
        working = Task { [workersEnd] in
            do {
                try await worker.run()
                workersEnd.change { $0 = "ended" }
            } catch {
                workersEnd.change { $0 = "failed: \(error)" }
                throw error
            }
        }
    }

    /// The state for the message when a rule hangs.
    var state: String {
        get async {
            var lines = ["the worker \(workersEnd.value), and holds \(worker.heldCount) deliveries"]
            for manager in managers.withLock({ $0 }) {
                let open = (try? await manager.uploads()) ?? []
                lines += open.map { "\(manager.identifier): \($0.id) is \($0.status)" }
            }
            let broker = deployment.broker
            let queues = try? await limited("the broker lists its queues", within: .seconds(30)) {
                try await broker.ctl("list_queues", "name", "messages", "consumers")
            }
            lines.append(queues ?? "the broker lists no queues")
            return lines.joined(separator: "\n")
        }
    }

    func open(_ identifier: UploadIdentifier) async throws -> any UploadManager {
        let manager = try await deployment.manager(identifier.rawValue)
        managers.withLock { $0.append(manager) }
        return manager
    }

    func content(_ key: String) async throws -> [UInt8]? {
        (try? Data(contentsOf: deployment.uploaded.appending(path: key))).map(Array.init)
    }

    /// Closes the managers that a rule has opened.
    func closeManagers() async {
        gate.letGo()
        let opened = managers.withLock { managers in
            defer { managers = [] }
            return managers
        }
        for manager in opened { await manager.close() }
    }

    func end() async throws {
        await closeManagers()
        await worker.drain()
        working.cancel()
        _ = await working.result
        await broker.close()
    }

    private struct Destinations: DestinationProvider {
        let archive: GatedDestination

        func destination(for reference: DestinationReference) throws(UploadError) -> (any Destination)? {
            if case .named(let name, _) = reference, name.rawValue == "archive" { archive } else { nil }
        }
    }
}
