public import AsyncHTTPClient
import Foundation
public import HTTPCalls
public import Uploads

/// Stores uploads as objects of a bucket, at AWS or at any server that speaks its protocol.
///
/// A small file goes up in one PUT, a larger one in a multipart upload that any worker can continue: its id travels in the baton, and
/// ListParts answers which parts the bucket holds. The object's metadata hold the job's id and time, so that HEAD shows whose object it is.
/// Bodies go out with a known length and a checksum in a header, never in chunks: some servers would store the framing of the chunks.
public struct S3Destination: Destination {
    public static let driverName = "s3"

    let configuration: S3Configuration
    let client: S3Client

    /// - Parameters:
    ///   - credentials: read again before they expire.
    ///   - client: made with ``HTTPConfiguration/clientConfiguration``; its owner shuts it down. nil: a client that all destinations share.
    ///   - connections: for small requests; nil: the client sends them, through its proxy if it has one.
    /// - Throws: `misconfigured`.
    public init(
        _ configuration: S3Configuration, credentials: any AWSCredentialsProvider,
        client: HTTPClient? = nil, connections: HTTPConnections? = nil
    ) throws(UploadError) {
        self.configuration = configuration
        self.client = try S3Client(
            configuration, credentials: credentials, client: client ?? HTTPConfiguration.sharedClient,
            connections: client == nil ? .shared : connections)
    }

    public var driver: String { Self.driverName }
    public var limits: TransferLimits { configuration.limits }

    public func canYield(_ job: UploadJob) -> Bool { (try? S3Target(job, configuration).isMultipart) ?? false }

    /// Asks with HEAD. Whether the multipart upload of the state still exists shows when it is opened. `unknowable` where the credentials may not
    /// read the bucket.
    public func probe(_ job: UploadJob, state: UploadState?) async throws(UploadError) -> ProbeAnswer {
        // The completing call finds another object, because its condition is that the key is free.
        if let state, state.isUntouched, job.ifExists == .replace { return .partial(state, beside: nil) }
        let upload = try upload(of: job)
        var found: StoredObject?
        switch try await upload.head() {
        case .success(let reply):
            var object = S3Target.object(reply, at: upload.location)
            let mark = S3Target.mark(of: reply)
            if let mark, mark.belongs(to: job), object.size == job.size, !object.digests.contradicts(job.digests) {
                if client.tellsChecksums, object.digests.confirms(job.digests) { object.verified = .checksum }
                // Where ETags prove the bytes and the answer to the one PUT was lost, no other proof exists: the file is sent again.
                let isUnproved = configuration.etagMeaning == .md5 && object.verified == nil
                // The worker that wrote the mark had the server check them.
                object.digests = job.digests
                object.isServerSideCopy = state.flatMap { try? S3State($0) }?.isCopy == true
                var completed = CompletedUpload(object, response: reply.response)
                completed.isUnproved = isUnproved && !upload.target.isMultipart && job.ifExists == .replace
                do throws(UploadError) { try upload.checkLock(of: reply) } catch { completed.flaw = error }
                return .complete(completed)
            }
            if let mark, !mark.belongs(to: job), mark.isNewer(than: job) { return .other(object, isNewer: true) }
            found = object
        case .failure(let failure) where failure.status == 404: break
        case .failure(let failure) where failure.code == "AccessDenied":
            // Throws now rather than after the whole file has gone up.
            guard job.ifExists == .replace || upload.obeysConditions(upload.target.isMultipart ? .completion : .put)
            else { throw upload.unseen(failure) }
            return .unknowable
        case .failure(let failure): throw failure.error(at: upload.location)
        }
        if let state { return .partial(state, beside: found) }
        return found.map { .other($0, isNewer: false) } ?? .nothing
    }

    public func open(
        _ job: UploadJob, resuming state: UploadState?
    ) async throws(UploadError) -> any UploadSession {
        let upload = try upload(of: job)
        if let state {
            let held = try S3State(state)
            if state.isUntouched { return S3MultipartSession(upload, held, holding: [:]) }
            do throws(UploadError) {
                return try await S3MultipartSession(upload, resuming: held)
            } catch {
                guard error.forbidsListing else { throw error }
                // An upload whose parts may not be listed cannot continue. If it may not be aborted either, the bucket's life-cycle rule removes it.
                do throws(UploadError) {
                    try await upload.abort(held)
                } catch  where !error.forbidsListing {
                    throw error
                } catch {}
                throw UploadError(
                    .sessionExpired,
                    "\(error.message); which parts were sent before cannot be told, so they are sent anew: let the credentials list them "
                        + "(s3:ListMultipartUploadParts)",
                    retry: .afterBackoff, cause: error, response: error.response)
            }
        }
        let plan = try upload.target.plan()
        guard upload.target.isMultipart else {
            return SinglePutSession(size: job.size, at: upload.location) {
                part, source, condition, sent async throws(UploadError) -> CompletedUpload in
                try await upload.putWhole(part, from: source, condition, sent: sent)
            }
        }
        let state = S3State(
            uploadID: try await upload.create(), partBytes: plan.partSize, checksum: configuration.checksum)
        return S3MultipartSession(upload, state, holding: [:])
    }

    public func discard(_ state: UploadState, of job: UploadJob) async throws(UploadError) {
        guard let state = try? S3State(state) else { return }
        try await upload(of: job).abort(state)
    }

    func upload(of job: UploadJob) throws(UploadError) -> S3Upload {
        S3Upload(target: try S3Target(job, configuration), client: client)
    }
}
