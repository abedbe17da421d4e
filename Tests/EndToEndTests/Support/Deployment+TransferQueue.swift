import Foundation
import Logging
import Testing
import UploadClient
import UploadTesting
import Uploads

extension Deployment {
    /// Runs the body with a transfer queue of an app in the test's own process, and closes queue and manager, as if the app had ended.
    func withTransferQueue<Value>(
        _ name: String = "default", _ body: (TransferQueue) async throws -> Value
    ) async throws -> Value {
        let manager = try await BrokerUploadManager(
            UploadIdentifier("transfers"), broker: BrokerAccess(broker.url), staging: staging, namespace: namespace,
            shards: shards,
            logger: Logger(label: "e2e") { _ in SwiftLogNoOpLogHandler() })
        do {
            let queue = try await TransferQueue(QueueName(name), manager: manager)
            do {
                let value = try await body(queue)
                await queue.close()
                await manager.close()
                return value
            } catch {
                await queue.close()
                throw error
            }
        } catch {
            await manager.close()
            throw error
        }
    }
}

extension Deployment {
    /// The keys at destinations in the order in which their uploads were completed.
    func completedKeys() throws -> [String] {
        let told = try toldOutcomes().filter { $0["type"] as? String == "upload.completed" }
        return told.compactMap { event in
            let job = (event["data"] as? [String: Any])?["job"] as? [String: Any]
            return (job?["destination"] as? [String: Any])?["key"] as? String
        }
    }
}

extension TransferQueue {
    /// Enqueues a session of files with the given sizes, which go to paths with these names.
    func enqueue(
        _ names: String..., bytes: Int = 40_000, to account: String = "local", at place: TransferPlace = .end
    ) async throws -> UUID {
        let files = names.map { TransferFile(.data(Self.content($0, bytes)), to: $0) }
        return try await enqueue(files, to: TransferAccount(account), at: place).id
    }

    func enqueue(_ file: URL, to account: String) async throws -> UUID {
        let files = [TransferFile(.url(file), to: file.lastPathComponent)]
        return try await enqueue(files, to: TransferAccount(account)).id
    }

    private static func content(_ name: String, _ bytes: Int) -> Data {
        var data = Data(name.utf8)
        data.append(Data(repeating: 7, count: bytes - data.count))
        return data
    }

    func state(of id: UUID) -> TransferSession.State? { sessions.first { $0.id == id }?.state }

    func waitForState(_ state: TransferSession.State, of ids: UUID...) async throws {
        try await eventually("the sessions are \(state)", within: .seconds(240)) {
            self.sessions.filter { ids.contains($0.id) && $0.state == state }.count == ids.count
        }
    }
}
