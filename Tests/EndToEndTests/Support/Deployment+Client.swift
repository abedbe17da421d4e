import Foundation
import Logging
import Synchronization
import UploadClient
import UploadTesting
import Uploads

extension Deployment {
    /// Makes an app's manager in the test's own process.
    func manager(_ identifier: String = "app", url: String? = nil) async throws -> BrokerUploadManager {
        try await BrokerUploadManager(
            UploadIdentifier(identifier), broker: BrokerAccess(url ?? broker.url), staging: staging,
            namespace: namespace, shards: shards, logger: Logger(label: "e2e") { _ in SwiftLogNoOpLogHandler() })
    }

    /// Runs the body with a manager, and closes it.
    func withManager<Value>(
        _ identifier: String = "app", url: String? = nil, _ body: (BrokerUploadManager) async throws -> Value
    ) async throws -> Value {
        let manager = try await manager(identifier, url: url)
        do {
            let value = try await body(manager)
            await manager.close()
            return value
        } catch {
            await manager.close()
            throw error
        }
    }

    /// Waits until the given number of outcomes were put into an app's durable queue.
    func waitForDelivered(_ count: Int, to identifier: String = "app") async throws {
        // By then the ledger has its tables.
        try await waitForOutcomes(count)
        try await eventually("\(count) outcomes are delivered to \(identifier)") {
            try self.queryLedger(
                "SELECT count(*) FROM deliveries WHERE delegate = 'client-\(identifier)' AND delivered IS NOT NULL")
                == ["\(count)"]
        }
    }
}

/// A delegate that records its calls.
final class TellingDelegate: UploadDelegate {
    private let outcomes = Mutex<[UploadOutcome]>([])

    var told: [UploadOutcome] { outcomes.withLock { $0 } }
    var ids: [String] { told.map(\.id) }

    func uploadDidEnd(_ outcome: UploadOutcome) async throws { outcomes.withLock { $0.append(outcome) } }
}

extension UploadHandle {
    /// Waits for the upload's end.
    func ended() async throws -> UploadStatus {
        let end = Mutex<UploadStatus?>(nil)
        let listening = Task {
            for await update in updates where update.status.isEnd { end.withLock { $0 = update.status } }
        }
        defer { listening.cancel() }
        try await eventually("upload \(id) ends", within: .seconds(240)) { end.withLock { $0 != nil } }
        guard let status = end.withLock({ $0 }) else { throw DidNotHappen("no end") }
        return status
    }

    func completed() async throws -> UploadReceipt {
        switch try await ended() {
        case .completed(let receipt): return receipt
        case .failed(let failure): throw failure
        case let other: throw DidNotHappen("it ended as \(other)")
        }
    }

    func failed() async throws -> UploadFailure {
        guard case .failed(let failure) = try await ended() else { throw DidNotHappen("\(id) did not fail") }
        return failure
    }
}

extension UploadStatus {
    var isPaused: Bool { if case .paused = self { true } else { false } }
    var isCancelled: Bool { if case .cancelled = self { true } else { false } }
    var isRunning: Bool { if case .running = self { true } else { false } }
}

extension Deployment {
    /// Starts an example program, which finds this deployment through environment variables.
    func startExample(_ name: String, _ arguments: [String]) throws -> RunningProgram {
        try RunningProgram(
            Program.built(name), arguments,
            environment: exampleEnvironment, directory: path, logs: logs, name: "\(name)-\(UUID().uuidString)")
    }

    var exampleEnvironment: [String: String] {
        [
            "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "", "LANG": "C.UTF-8", "UPLOAD_BROKER": broker.url,
            "UPLOAD_STAGING": staging.path, "UPLOAD_NAMESPACE": namespace, "UPLOAD_SHARDS": "\(shards.count)",
        ]
    }

    /// Starts uploads of an app whose program then ends, without waiting for them.
    func startUploads(of identifier: String, count: Int, named name: String) async throws -> [String] {
        try await withManager(identifier) { manager in
            var ids: [String] = []
            for index in 0..<count {
                let upload = try Upload(.data(Data("\(name) \(index)".utf8)), to: "local:\(name)-\(index).txt")
                ids.append(try await manager.start(upload).id.rawValue)
            }
            return ids
        }
    }
}
