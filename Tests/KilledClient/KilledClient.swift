import Foundation
import Logging
import UploadClient
import UploadDestinations
import UploadEmbedded
import Uploads

/// The app that `ClientKillTests` kills. It does what the articles tell an app to do, in their order, and durably notes
/// the uploads that were accepted and the outcomes that its delegate got:
///
///     killed-client embedded|broker DIRECTORY RUN UPLOADS [MICROSECONDS]
///
/// It opens its manager, sets its delegate, awaits the uploads of earlier runs, starts `UPLOADS` uploads, awaits them,
/// closes, and ends. After `MICROSECONDS` it kills itself, at any point. `DIRECTORY` holds its notes and, without a
/// broker, everything else; `UPLOAD_BROKER`, `UPLOAD_STAGING` and `UPLOAD_NAMESPACE` are those of `example-uploader`.
@main struct KilledClient {
    private static let identifier = UploadIdentifier(unchecked: "killed")

    let directory: URL
    let run: Int
    let manager: any UploadManager
    let notes: Notes

    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 5, let run = Int(arguments[3]), let count = Int(arguments[4]) else {
            FileHandle.standardError.write(
                Data("usage: killed-client embedded|broker DIRECTORY RUN UPLOADS [MICROSECONDS]\n".utf8))
            exit(64)
        }
        if arguments.count > 5, let microseconds = UInt32(arguments[5]) {
            Thread.detachNewThread {
                usleep(microseconds)
                kill(getpid(), SIGKILL)
            }
        }
        let directory = URL(filePath: arguments[2])
        let manager = try await open(arguments[1], directory)
        let client = KilledClient(
            directory: directory, run: run, manager: manager, notes: try Notes(at: directory.appending(path: "notes")))
        try await client.work(count)
    }

    private static func open(_ kind: String, _ directory: URL) async throws -> any UploadManager {
        if kind == "embedded" {
            let stored = directory.appending(path: "stored").path
            return try await EmbeddedUploadManager(
                identifier, directory: directory.appending(path: "state"),
                destinations: EmbeddedDestinations([
                    DestinationName(unchecked: "local"): DirectoryDestination(DirectoryConfiguration(path: stored))
                ]))
        }
        let environment = ProcessInfo.processInfo.environment
        return try await BrokerUploadManager(
            identifier, broker: BrokerAccess(environment["UPLOAD_BROKER"] ?? ""),
            staging: URL(filePath: environment["UPLOAD_STAGING"] ?? ""),
            namespace: environment["UPLOAD_NAMESPACE"] ?? "upload",
            shards: environment["UPLOAD_SHARDS"].flatMap { Int($0) }.flatMap { Shards($0) } ?? .one,
            logger: Logger(label: "killed-client", factory: { StreamLogHandler.standardError(label: $0) }))
    }

    private func work(_ count: Int) async throws {
        try await manager.setDelegate(notes)
        var handles: [UploadHandle] = []
        for upload in try await manager.uploads() {
            if let handle = try await manager.handle(for: upload.id) { handles.append(handle) }
        }
        for handle in handles { await end(of: handle) }
        handles = []
        // An upload with a key is started again until it was accepted.
        let names = try notes.unaccepted() + (0..<count).map { "\(run)-\($0)\($0.isMultiple(of: 2) ? "-keyed" : "")" }
        for name in names {
            try notes.append("wanted \(name)")
            let handle = try await manager.start(try upload(name))
            try notes.append("accepted \(handle.id) \(name)")
            handles.append(handle)
        }
        for handle in handles { await end(of: handle) }
        if count == 0 {
            _ = try await manager.handlePendingEvents()
            try notes.append("open \(try await manager.uploads().count)")
        }
        await manager.close()
    }

    /// A failure is an outcome as well: an upload that was interrupted too often is given up.
    private func end(of handle: UploadHandle) async { _ = try? await handle.completion }

    /// One of three is small enough to travel inside its message.
    private func upload(_ name: String) throws -> Upload {
        let size = name.utf8.reduce(0) { $0 + Int($1) }.isMultiple(of: 3) ? 1000 : 40_000
        let line = Data("\(name)\n".utf8)
        var content = Data()
        while content.count < size { content.append(line) }
        var upload = try Upload(.data(content), to: "local:\(name)")
        if name.hasSuffix("keyed") { upload.idempotencyKey = name }
        return upload
    }
}
