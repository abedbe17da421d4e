public import AsyncHTTPClient
import Foundation
public import Uploads

/// Sends files to a WebDAV server (RFC 4918): PUT under a temporary name, a check of the size, then MOVE into place; MKCOL for missing
/// folders.
///
/// So readers never see a file that is not whole, and an upload that was cut off replaces nothing. An upload cannot be interrupted and
/// continued, but once the file has arrived any worker can move it into place. An object's dead properties name its job, where the server keeps
/// such properties; elsewhere the ETag in the baton recognises a file that was moved into place. Redirects are not followed.
public struct WebDAVDestination: Destination {
    public static let driverName = "webdav"

    let configuration: WebDAVConfiguration
    let client: WebDAVClient

    /// - Parameter client: made with ``HTTPConfiguration/clientConfiguration``; its owner shuts it down.
    /// - Throws: `misconfigured` for an invalid URL.
    public init(
        _ configuration: WebDAVConfiguration, client: HTTPClient = HTTPConfiguration.sharedClient
    ) throws(UploadError) {
        self.configuration = configuration
        self.client = try WebDAVClient(configuration, client: client)
    }

    public var driver: String { Self.driverName }
    public var limits: TransferLimits { configuration.limits }

    public func canYield(_ job: UploadJob) -> Bool { false }

    /// Looks at the object, and at the temporary file that is to become it.
    public func probe(_ job: UploadJob, state: UploadState?) async throws(UploadError) -> ProbeAnswer {
        let upload = try upload(of: job)
        let found = try await upload.object()
        let unfinished = try await upload.temporary()
        if let found {
            let known = state.flatMap(WebDAVState.init)
            if isOwn(found, upload, known, isMoved: unfinished == nil) {
                var object = upload.stored(found)
                object.digests = job.digests
                object.isServerSideCopy = known?.isCopy == true
                return .complete(CompletedUpload(object))
            }
            if let mark = found.mark, !mark.belongs(to: job), mark.isNewer(than: job) {
                return .other(upload.stored(found), isNewer: true)
            }
        }
        if let unfinished {
            let isCopy = state.flatMap(WebDAVState.init)?.isCopy == true
            return .partial(upload.state(unfinished, isCopy: isCopy).uploadState, beside: found.map(upload.stored))
        }
        return found.map { .other(upload.stored($0), isNewer: false) } ?? .nothing
    }

    /// Whether the object is the job's: by the job's id in its properties, by a digest, or because it has the ETag of the temporary file, which is
    /// gone.
    private func isOwn(
        _ found: WebDAVResource, _ upload: WebDAVUpload, _ known: WebDAVState?, isMoved: Bool
    ) -> Bool {
        guard upload.isWhole(found) else { return false }
        if let mark = found.mark { return mark.belongs(to: upload.job) }
        if found.digests.confirms(upload.job.digests) { return true }
        return isMoved && WebDAVResource.isSame(found.etag, known?.etag)
    }

    public func open(
        _ job: UploadJob, resuming state: UploadState?
    ) async throws(UploadError) -> any UploadSession {
        let upload = try upload(of: job)
        guard let state else { return WebDAVSession(upload) }
        guard let found = try await upload.temporary() else {
            throw UploadError(
                .sessionExpired,
                "the unfinished file of \(upload.location) is gone: the worker looks for it in its place")
        }
        let isCopy = WebDAVState(state)?.isCopy == true
        return WebDAVSession(upload, holding: upload.isWhole(found) ? upload.state(found, isCopy: isCopy) : nil)
    }

    public func discard(_ state: UploadState, of job: UploadJob) async throws(UploadError) {
        let upload = try upload(of: job)
        try await client.remove(upload.target.temporaryPath)
        // A trial of the key's characters that was cut off left a file beside it.
        if upload.hasUnprovenName { try await upload.removeTrials() }
    }

    func upload(of job: UploadJob) throws(UploadError) -> WebDAVUpload {
        WebDAVUpload(client: client, target: try WebDAVTarget(job, configuration))
    }
}
