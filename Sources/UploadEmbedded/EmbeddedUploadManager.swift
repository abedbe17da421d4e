public import Foundation
public import Logging
public import UploadClient
import UploadSources
public import Uploads

/// Carries uploads in the own process, without a broker: the same engine and destinations as a worker's, with all state in a local
/// directory. What was accepted survives a restart and `kill -9`, and goes on from what the destination holds.
///
/// Several managers may share a directory and an identifier, also in several programs: one of them carries the uploads of all, and
/// another takes over within seconds when that one goes away. Progress is shown where the uploads are carried, outcomes everywhere.
public final class EmbeddedUploadManager: UploadManager, CoreUploadManager {
    package let core: ManagerCore

    /// - Parameters:
    ///   - directory: on a local disk; created when it is missing. It holds copies of what is to be uploaded, and belongs to this
    ///     library alone.
    ///   - destinations: where uploads can go, such as ``EmbeddedDestinations``.
    /// - Throws: `misconfigured` when the directory cannot be used.
    public init(
        _ identifier: UploadIdentifier, directory: URL, destinations: any DestinationProvider,
        configuration: EmbeddedConfiguration = EmbeddedConfiguration(),
        logger: Logger = Logger(label: "upload-embedded")
    ) async throws(UploadError) {
        let area = try await StagingArea.open(at: directory.path(percentEncoded: false))
        await area.sweepUnfinished(logger)
        let backend = EmbeddedBackend(
            identifier, area: area, files: try await LocalQueueFiles.open(identifier, in: area),
            destinations: destinations, configuration: configuration, logger: logger)
        core = try await ManagerCore(identifier: identifier, area: area, backend: backend, logger: logger)
        await core.begin()
    }

    /// Lets what is under way come to the end of a part, for ``EmbeddedConfiguration/grace`` at most, and returns. It goes on when
    /// another manager of the directory runs.
    public func close() async { await core.close() }
}
