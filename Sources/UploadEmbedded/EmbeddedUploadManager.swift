public import Foundation
public import Logging
public import UploadClient
import UploadSources
public import Uploads

/// Carries uploads in the own process, without a broker: the same engine and destinations as a worker's, with all state
/// in a local directory. Accepted uploads survive a restart and `kill -9`, and continue from the bytes that the
/// destination holds.
///
/// Several managers may share a directory and an identifier, also in several programs: one of them carries the uploads
/// of all, and another takes over within seconds when that one goes away. Only the manager that carries the uploads
/// shows progress; all show outcomes.
public final class EmbeddedUploadManager: UploadManager, CoreUploadManager {
    package let core: ManagerCore

    /// - Parameters:
    ///   - directory: on a local disk; created when it is missing. It holds copies of the uploads' contents, and
    ///     belongs to this library alone.
    ///   - destinations: the possible targets, such as ``EmbeddedDestinations``.
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

    /// Lets the running uploads reach the end of a part, for ``EmbeddedConfiguration/grace`` at most, and returns. They
    /// continue when another manager of the directory runs.
    public func close() async { await core.close() }
}
