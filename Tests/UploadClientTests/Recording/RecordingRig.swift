import Foundation
import Synchronization
import UploadClient
import UploadTesting
import Uploads

@testable import UploadClientTesting

/// Recording managers, with a test that plays broker, workers and notifier.
final class RecordingRig: ManagerRig {
    let gate = Gate()
    private let directory: TemporaryDirectory
    private let managers = Mutex<[(RecordingUploadManager, Task<Void, Never>)]>([])
    private let arrived = Box<[String: [UInt8]]>([:])
    private let accepted = Box<[JobID: [UInt8]]>([:])

    init() throws { directory = try TemporaryDirectory("recording") }

    func open(_ identifier: UploadIdentifier) async throws -> any UploadManager {
        let manager = try await RecordingUploadManager(identifier, directory: directory.url)
        let world = Task { [self] in
            while !Task.isCancelled {
                await carry(manager)
                try? await Task.sleep(for: .milliseconds(2))
            }
        }
        managers.withLock { $0.append((manager, world)) }
        return manager
    }

    func content(_ key: String) async throws -> [UInt8]? { arrived.value[key] }

    func end() async {
        for (manager, world) in managers.withLock({ $0 }) {
            world.cancel()
            await world.value
            await manager.close()
        }
    }

    /// Ends the unfinished uploads as the gate decides.
    private func carry(_ manager: RecordingUploadManager) async {
        for job in manager.jobs where accepted.value[job.id] == nil {
            if let bytes = try? await manager.content(of: job.id) { accepted.change { $0[job.id] = Array(bytes) } }
        }
        guard !gate.isHeld, let open = try? await manager.uploads() else { return }
        for upload in open {
            guard let bytes = accepted.value[upload.id], let job = try? await manager.job(of: upload.id) else {
                continue
            }
            if let refusal = gate.takeRefusal() {
                try? await manager.end(upload.id, with: .failed(refusal, state: nil))
                continue
            }
            guard case .named(_, let key) = job.destination else { continue }
            try? await manager.report(upload.id, bytesDone: upload.bytesTotal / 2)
            arrived.change { $0[key] = bytes }
            try? await manager.end(
                upload.id,
                with: .completed(StoredObject(location: job.destination.displayText, size: job.size), response: nil))
        }
    }
}
