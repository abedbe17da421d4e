public import Foundation
public import Logging
package import UploadSources
public import Uploads

/// A manager whose uploads go over the broker to workers, which may run anywhere. The uploads go on while the app does
/// not run, and their outcomes wait for it.
public final class BrokerUploadManager: UploadManager, CoreUploadManager {
    package let core: ManagerCore
    let link: BrokerLink

    /// Opens even while the broker is away: the manager connects in the background, and again after every loss.
    /// - Parameters:
    ///   - identifier: shared by all programs that belong together.
    ///   - broker: the broker's addresses and the credentials for it.
    ///   - staging: the staging area, a directory that workers can read, too; created when it is missing.
    ///   - group: the group of the files in it, where producers and workers are different users.
    ///   - namespace: the prefix of all names on the broker, as the workers are configured.
    ///   - shards: the shards of the namespace, as the workers are configured.
    /// - Throws: `misconfigured` when the directory, a URL or the namespace cannot be used.
    public convenience init(
        _ identifier: UploadIdentifier, broker: BrokerAccess, staging: URL, group: String? = nil,
        namespace: String = "upload", shards: Shards = .one,
        logger: Logger = Logger(label: "upload-client")
    ) async throws(UploadError) {
        let area = try await StagingArea.open(at: staging.path(percentEncoded: false), group: group)
        try await self.init(
            identifier, broker: broker, spool: area, copies: area, namespace: namespace, shards: shards, logger: logger)
    }

    /// - Parameters:
    ///   - area: the directory with the records of uploads, the outbox and the idempotency keys.
    ///   - copies: where the copies go.
    package init(
        _ identifier: UploadIdentifier, broker: BrokerAccess, spool area: StagingArea, copies: any CopyStore,
        namespace: String, shards: Shards, logger: Logger
    ) async throws(UploadError) {
        let link = try BrokerLink(
            broker, namespace: namespace, shards: shards, area: area, name: "upload-client.\(identifier)",
            logger: logger)
        self.link = link
        do throws(UploadError) {
            core = try await ManagerCore(
                identifier: identifier, area: area, copies: copies,
                backend: try await BrokerBackend(identifier, link: link, logger: logger), logger: logger)
        } catch {
            await link.close()
            throw error
        }
        await core.begin()
    }
}
