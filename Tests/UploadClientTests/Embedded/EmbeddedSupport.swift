import Foundation
import Synchronization
import UploadClient
import UploadDestinations
import UploadEmbedded
import UploadTesting
import Uploads

/// The working place of an embedded manager: a directory for its state, and one to upload to.
struct EmbeddedBench: Sendable {
    static let identifier = UploadIdentifier(unchecked: "app")

    let scratch: TemporaryDirectory

    init() throws {
        scratch = try TemporaryDirectory("embedded")
        try FileManager.default.createDirectory(at: scratch.file("stored"), withIntermediateDirectories: false)
    }

    var state: URL { scratch.file("state") }

    /// The destination `disk`, in parts of 8 MiB.
    var disk: EmbeddedDestinations {
        EmbeddedDestinations([
            DestinationName(unchecked: "disk"): DirectoryDestination(
                DirectoryConfiguration(path: scratch.path("stored")))
        ])
    }

    func manager(
        _ destinations: any DestinationProvider, _ configuration: EmbeddedConfiguration = EmbeddedConfiguration()
    ) async throws -> EmbeddedUploadManager {
        try await EmbeddedUploadManager(
            Self.identifier, directory: state, destinations: destinations, configuration: configuration)
    }

    /// Runs the body with a manager, and closes the manager even if the body throws.
    func with(
        _ destinations: any DestinationProvider, _ configuration: EmbeddedConfiguration = EmbeddedConfiguration(),
        _ body: (EmbeddedUploadManager) async throws -> Void
    ) async throws {
        let manager = try await manager(destinations, configuration)
        do {
            try await body(manager)
        } catch {
            await manager.close()
            throw error
        }
        await manager.close()
    }

    /// The existing staged copies, without their digests.
    func copies() throws -> [String] {
        try scratch.names(in: "state").filter { !$0.hasPrefix(".") && UUID(uuidString: String($0.prefix(36))) != nil }
    }

    /// The files of the queue.
    func queued() throws -> [String] {
        try scratch.names(in: "state/embedded/app/queue").filter { !$0.hasPrefix(".") }
    }

    /// The orders that are not applied yet.
    func ordered() throws -> [String] {
        try scratch.names(in: "state/embedded/app/orders").filter { !$0.hasPrefix(".") }
    }

    static func bytes(_ count: Int) -> [UInt8] {
        var state = UInt64(count)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        while bytes.count < count {
            // Different in every block, so that exchanged parts are noticed.
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            withUnsafeBytes(of: state) { bytes.append(contentsOf: $0.prefix(count - bytes.count)) }
        }
        return bytes
    }
}

/// Counts how often it was asked for an upload's destination.
final class AskedDestinations: DestinationProvider {
    private let inner: any DestinationProvider
    private let counts = Mutex<[String: Int]>([:])

    init(inner: any DestinationProvider) { self.inner = inner }

    func count(of destination: String) -> Int { counts.withLock { $0[destination] ?? 0 } }

    func destination(for reference: DestinationReference) throws(UploadError) -> (any Destination)? {
        counts.withLock { $0[reference.displayText, default: 0] += 1 }
        return try inner.destination(for: reference)
    }
}

extension UploadStatus {
    var isRunning: Bool { if case .running = self { true } else { false } }
    var isPaused: Bool { if case .paused = self { true } else { false } }
    var isWaiting: Bool { if case .waiting = self { true } else { false } }
}
