import Foundation
import Synchronization
import UploadClient
import UploadDestinations
import UploadEmbedded
import UploadTesting
import Uploads

@testable import UploadClientTesting

/// Embedded managers of one directory, whose destination is a directory behind the gate.
final class EmbeddedRig: ManagerRig {
    let gate = Gate()
    private let directory: TemporaryDirectory
    private let managers = Mutex<[EmbeddedUploadManager]>([])

    init() throws {
        directory = try TemporaryDirectory("embedded")
        try FileManager.default.createDirectory(at: directory.file("archive"), withIntermediateDirectories: false)
    }

    func open(_ identifier: UploadIdentifier) async throws -> any UploadManager {
        let archive = DirectoryDestination(DirectoryConfiguration(path: directory.path("archive")))
        let manager = try await EmbeddedUploadManager(
            identifier, directory: directory.file("state"),
            destinations: EmbeddedDestinations([
                DestinationName(unchecked: "archive"): GatedDestination(inner: archive, gate: gate)
            ]), configuration: EmbeddedConfiguration(grace: .seconds(1)))
        managers.withLock { $0.append(manager) }
        return manager
    }

    func content(_ key: String) async throws -> [UInt8]? { directory.read("archive/\(key)") }

    func end() async {
        for manager in managers.withLock({ $0 }) { await manager.close() }
    }
}
