import Foundation
public import Logging
import NIOPosix
import Synchronization
public import Uploads

/// Appends outcomes to a file, one CloudEvent a line, and flushes them to the disk before they count as delivered.
public final class LogDelegate: BatchDelegate {
    public let name: String
    private let mapping: FieldMapping?
    private let file: Mutex<LogFile>

    /// - Throws: `misconfigured` when the file cannot be opened for appending.
    public init(
        name: String, _ configuration: LogConfiguration, mapping: FieldMapping? = nil, logger: Logger
    ) throws(UploadError) {
        self.name = name
        self.mapping = mapping
        var file = LogFile(configuration)
        do { try file.open() } catch {
            throw UploadError(.misconfigured, "delegate '\(name)': \(error.message)", cause: error)
        }
        self.file = Mutex(file)
    }

    @discardableResult
    public func deliver(_ event: UploadEvent) async throws(UploadError) -> ServerResponse? {
        try await deliver([event])
        return nil
    }

    public func deliver(_ events: [UploadEvent]) async throws(UploadError) {
        do {
            // On a thread of the pool, because a slow disk may block fsync for seconds, and the cooperative threads must not block.
            try await NIOThreadPool.singleton.runIfActive {
                let lines = try events.map {
                    try EventPayload($0, mapping: self.mapping).structured() + [UInt8(ascii: "\n")]
                }
                try self.file.withLock { try $0.append(lines) }
            }
        } catch let error as UploadError {
            throw error
        } catch {
            throw UploadError(.unknown, "log '\(name)' cannot be written", cause: error)
        }
    }
}
