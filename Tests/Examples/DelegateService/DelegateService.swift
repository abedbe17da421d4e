import Foundation
import Logging
import UploadClient
import Uploads

/// A service that gets every outcome of its app's uploads, also of those that ended while it did not run:
///
///     example-delegate-service FILE
///
/// It appends a line to `FILE` for each outcome: its id, and `completed` or the reason. It runs until it is killed;
/// started again, it continues. `UPLOAD_BROKER`, `UPLOAD_STAGING` and `UPLOAD_NAMESPACE` are those of
/// `example-uploader`, whose outcomes it gets.
@main enum DelegateService {
    static func main() async throws {
        guard CommandLine.arguments.count == 2 else {
            FileHandle.standardError.write(Data("usage: example-delegate-service FILE\n".utf8))
            exit(64)
        }
        let environment = ProcessInfo.processInfo.environment
        let manager = try await BrokerUploadManager(
            UploadIdentifier("example-uploader"),
            broker: BrokerAccess(environment["UPLOAD_BROKER"] ?? "amqp://guest:guest@127.0.0.1:5672/"),
            staging: URL(filePath: environment["UPLOAD_STAGING"] ?? "/tmp/longshore/staging"),
            namespace: environment["UPLOAD_NAMESPACE"] ?? "upload",
            logger: Logger(label: "example-delegate-service", factory: { StreamLogHandler.standardError(label: $0) }))
        try await manager.setDelegate(try Journal(at: URL(filePath: CommandLine.arguments[1])))
        FileHandle.standardError.write(Data("listening\n".utf8))
        // From here on the manager calls the delegate, until the process is ended.
        while true { try await Task.sleep(for: .seconds(3600)) }
    }
}

/// Writes outcomes to a file.
actor Journal: UploadDelegate {
    private let file: FileHandle

    init(at url: URL) throws {
        if !FileManager.default.fileExists(atPath: url.path) { try Data().write(to: url) }
        file = try FileHandle(forWritingTo: url)
    }

    /// Returning acknowledges the outcome. A process that is killed before that gets the outcome again, under the same
    /// id: repeated work must be harmless, or look up the id first.
    func uploadDidEnd(_ outcome: UploadOutcome) async throws {
        let word =
            switch outcome.result {
            case .success: "completed"
            case .failure(let failure): "\(failure.reason)"
            }
        try file.seekToEnd()
        try file.write(contentsOf: Data("\(outcome.id) \(word)\n".utf8))
        try file.synchronize()
    }
}
