import Foundation
import Logging
import UploadClient
import Uploads

/// Uploads a file and shows the progress:
///
///     example-uploader FILE DESTINATION
///
/// `DESTINATION` is the name of a destination that the workers know and a key, as `photos:2026/cat.jpg`, or a URL.
/// `UPLOAD_BROKER` is the broker's URL, `UPLOAD_STAGING` the directory that is shared with the workers,
/// `UPLOAD_NAMESPACE` the prefix of the names on the broker.
@main enum Uploader {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count == 2, let file = arguments.first, let destination = arguments.last else {
            say("usage: example-uploader FILE DESTINATION")
            exit(64)
        }
        let environment = ProcessInfo.processInfo.environment

        // Opens also while the broker is away. Programs with the same identifier share their uploads.
        let manager = try await BrokerUploadManager(
            UploadIdentifier("example-uploader"),
            broker: BrokerAccess(environment["UPLOAD_BROKER"] ?? "amqp://guest:guest@127.0.0.1:5672/"),
            staging: URL(filePath: environment["UPLOAD_STAGING"] ?? "/tmp/longshore/staging"),
            namespace: environment["UPLOAD_NAMESPACE"] ?? "upload",
            logger: Logger(label: "example-uploader", factory: { StreamLogHandler.standardError(label: $0) }))

        // When this returns, the file is copied and the job is durable: it is uploaded even if this program ends.
        let handle = try await manager.upload(URL(filePath: file), to: destination)
        print(handle.id)

        for await update in handle.updates {
            switch update.status {
            case .running: say("\(Int(update.fractionDone * 100)) % of \(update.bytesTotal) bytes")
            case .waiting(_, let reason, _): say("waits: \(reason ?? "")")
            case .queued, .paused, .cancelling, .completed, .failed, .cancelled: say(word(for: update.status))
            }
        }

        // The outcome, which is known by now.
        do throws(UploadFailure) {
            let receipt = try await handle.completion
            print(receipt.object.location)
            await manager.close()
        } catch {
            say("failed: \(error)")
            await manager.close()
            exit(1)
        }
    }

    private static func word(for status: UploadStatus) -> String {
        switch status {
        case .queued: "queued"
        case .running: "running"
        case .waiting: "waiting"
        case .paused: "paused"
        case .cancelling: "is being cancelled"
        case .completed: "completed"
        case .failed: "failed"
        case .cancelled: "cancelled"
        }
    }

    private static func say(_ line: String) { FileHandle.standardError.write(Data((line + "\n").utf8)) }
}
