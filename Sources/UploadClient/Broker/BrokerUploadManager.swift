public import Foundation
public import Logging
import UploadSources
public import Uploads

/// A manager whose uploads go over the broker to workers, which may run anywhere. They go on while the app does not, and what
/// became of them waits for it.
public final class BrokerUploadManager: UploadManager {
    let core: ManagerCore
    let link: BrokerLink

    /// Opens also while the broker is away: it is connected to in the background, again after every loss.
    /// - Parameters:
    ///   - identifier: shared by all programs that belong together.
    ///   - broker: where it is.
    ///   - staging: the staging area, a directory that workers can read, too; created when it is missing.
    ///   - group: the group that its files belong to, where producers and workers are different users.
    ///   - namespace: with what all names on the broker begin, as the workers are configured.
    /// - Throws: `misconfigured` when the directory, a URL or the namespace cannot be used.
    public init(
        _ identifier: UploadIdentifier, broker: BrokerAccess, staging: URL, group: String? = nil,
        namespace: String = "upload", logger: Logger = Logger(label: "upload-client")
    ) async throws(UploadError) {
        let area = try await StagingArea.open(at: staging.path(percentEncoded: false), group: group)
        let link = try BrokerLink(
            broker, namespace: namespace, area: area, name: "upload-client.\(identifier)", logger: logger)
        self.link = link
        do throws(UploadError) {
            core = try await ManagerCore(
                identifier: identifier, area: area,
                backend: try await BrokerBackend(identifier, link: link, logger: logger), logger: logger)
        } catch {
            await link.close()
            throw error
        }
        await core.begin()
    }

    // MARK: UploadManager

    public var identifier: UploadIdentifier { core.identifier }

    public func start(_ upload: Upload) async throws(UploadError) -> UploadHandle { try await core.start(upload) }

    public func resume(with state: ResumableUpload) async throws(UploadError) -> UploadHandle {
        try await core.resume(with: state)
    }

    public func uploads() async throws(UploadError) -> [UploadUpdate] { try await core.uploads() }

    public func handle(for id: JobID) async throws(UploadError) -> UploadHandle? { try await core.handle(for: id) }

    public func order(_ verb: Verb, _ id: JobID) async throws(UploadError) { try await core.order(verb, id) }

    public func setDelegate(_ delegate: (any UploadDelegate)?) async throws(UploadError) {
        await core.setDelegate(delegate)
    }

    public func handlePendingEvents() async throws(UploadError) -> Int { try await core.handlePendingEvents() }

    public func saveExecutingUploads() async throws(UploadError) -> SavedUploads { try await core.save() }

    public func restoreUploads(from saved: SavedUploads) async throws(UploadError) -> [UploadHandle] {
        try await core.restore(saved)
    }

    public func close() async { await core.close() }
}
