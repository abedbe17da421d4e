public import Foundation
public import Logging
public import UploadClient
import UploadSources
public import Uploads

extension BrokerUploadManager {
    /// Opens a manager whose copies go to a staging area at a destination, such as a bucket, so that workers need no directory of this
    /// host. It opens even while the broker or the destination is away.
    /// - Parameters:
    ///   - identifier: shared by all programs that belong together.
    ///   - broker: the broker's addresses and the credentials for it.
    ///   - staging: the destination that holds the staging area, as the workers are configured (`staging: NAME:PREFIX/`).
    ///   - prefix: what the keys of the copies begin with; empty, or with a slash at its end.
    ///   - destinations: have a destination of that name, of a driver that reads, lists and removes.
    ///   - spool: a directory of this host, created when it is missing: for the records of uploads, the outbox and idempotency keys.
    ///   - namespace: the prefix of all names on the broker, as the workers are configured.
    ///   - shards: the shards of the namespace, as the workers are configured.
    /// - Throws: `misconfigured` when the directory, the destination, a URL or the namespace cannot be used.
    public convenience init(
        _ identifier: UploadIdentifier, broker: BrokerAccess, staging: DestinationName, prefix: String,
        destinations: any DestinationProvider, spool: URL, namespace: String = "upload", shards: Shards = .one,
        logger: Logger = Logger(label: "upload-client")
    ) async throws(UploadError) {
        let place = DestinationArea.Place(at: staging, prefix: prefix)
        _ = try place.driver(of: destinations)
        let area = try await StagingArea.open(at: spool.path(percentEncoded: false))
        let copies = DestinationStager(at: place, of: destinations, spool: area, logger: logger) { error in
            logger.warning("the staging area \(place) is waited for", metadata: ["error": "\(error.message)"])
        }
        do throws(UploadError) {
            try await self.init(
                identifier, broker: broker, spool: area, copies: copies, namespace: namespace, shards: shards,
                logger: logger)
        } catch {
            await copies.close()
            throw error
        }
    }
}
