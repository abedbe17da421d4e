public import AsyncHTTPClient
import Foundation
import NIOHTTP1
public import Uploads

/// Sends files to a server that takes resumable uploads over HTTP (draft-ietf-httpbis-resumable-upload, interop versions 8, 7, 6, 5 and
/// 3), the protocol of Apple's URLSession and swift-nio-extras; to a server without the protocol in one plain request.
///
/// An empty request makes an upload, one PATCH after the other fills it, and any worker that has its URL from the baton can continue it: HEAD
/// answers how many bytes the server holds. Without the URL the server cannot be asked: an upload whose worker died before it handed the URL
/// over expires at the server. Redirects are not followed. An upload's URL may be a credential: no error holds its query.
public struct ResumableDestination: Destination {
    public static let driverName = "resumable"

    let configuration: ResumableConfiguration
    private let client: ResumableClient

    /// - Parameter client: made with ``HTTPConfiguration/clientConfiguration``; its owner shuts it down.
    /// - Throws: `misconfigured` for an invalid URL.
    public init(
        _ configuration: ResumableConfiguration, client: HTTPClient = HTTPConfiguration.sharedClient
    ) throws(UploadError) {
        self.configuration = configuration
        self.client = try ResumableClient(configuration, client: client)
    }

    public var driver: String { Self.driverName }

    /// One part at a time, because bytes can be added at the end only.
    public var limits: TransferLimits {
        var limits = configuration.limits
        limits.parts = 1
        return limits
    }

    /// False only for a server that is known to take plain uploads only, which always begin anew.
    public func canYield(_ job: UploadJob) -> Bool { !client.isPlain }

    /// Asks with HEAD for the upload of the state; `unknowable` without a state.
    public func probe(_ job: UploadJob, state: UploadState?) async throws(UploadError) -> ProbeAnswer {
        guard let state else { return .unknowable }
        guard let (upload, _) = try known(job, state), let held = try await upload.held() else {
            return .nothing
        }
        guard held.isComplete else { return .partial(state, beside: nil) }
        let response = client.shown(held.reply, of: upload.url)
        return .complete(
            CompletedUpload(upload.target.object(held.reply, at: upload.url, response), response: response))
    }

    /// - Throws: `rejected` for a job whose `--if-exists` is not `replace`, and for a file beyond the server's limits.
    public func open(
        _ job: UploadJob, resuming state: UploadState?
    ) async throws(UploadError) -> any UploadSession {
        let target = try ResumableTarget(job, configuration)
        if let state { return try await resume(job, state) }
        guard job.ifExists == .replace else {
            throw UploadError(
                .rejected,
                "a resumable upload cannot say what is there already: enqueue the file with --if-exists replace")
        }
        guard case .versions(let versions, let announced) = try await client.support(at: target.url) else {
            return single(target, nil)
        }
        try check(job, announced)
        // A file that is empty, or below the server's minimum for an upload, goes in one request.
        if job.size == 0 || job.size < announced?.sizeMinimum ?? 0 { return single(target, versions.first) }
        guard let (upload, told) = try await ResumableUpload.create(target, versions, by: client) else {
            client.remember(.none)
            return single(target, nil)
        }
        client.remember(.versions([upload.interop], announced ?? told))
        let limit = told ?? announced
        do throws(UploadError) {
            try check(job, limit)
        } catch {
            // "The client SHOULD stop the current request immediately and cancel the upload."
            try? await upload.remove()
            throw error
        }
        let partBytes = limit?.partBytes(configuration.partBytes) ?? configuration.partBytes
        return ResumableSession(ResumableStream(upload, partBytes: partBytes, limit), partBytes: partBytes)
    }

    /// A complete upload stays: it is the job's own object.
    public func discard(_ state: UploadState, of job: UploadJob) async throws(UploadError) {
        guard let (upload, _) = try known(job, state), let held = try await upload.held(), !held.isComplete
        else { return }
        try await upload.remove()
    }

    private func resume(_ job: UploadJob, _ state: UploadState) async throws(UploadError) -> any UploadSession {
        guard let (upload, known) = try known(job, state), let held = try await upload.held() else {
            throw try client.gone(ResumableState(state).url)
        }
        return ResumableSession(
            ResumableStream(upload, partBytes: known.partBytes, held), partBytes: known.partBytes)
    }

    /// The upload that a state describes.
    /// - Returns: nil for a state that cannot be read, or that has expired.
    /// - Throws: `misconfigured` for an upload at an origin that the configuration does not allow.
    private func known(
        _ job: UploadJob, _ state: UploadState
    ) throws(UploadError) -> (upload: ResumableUpload, state: ResumableState)? {
        guard let known = try? ResumableState(state), !known.isPast else { return nil }
        try client.address.check(known.url)
        let target = try ResumableTarget(job, configuration)
        return (ResumableUpload(client: client, target: target, url: known.url, interop: known.interop), known)
    }

    private func check(_ job: UploadJob, _ limit: ResumableUploadLimit?) throws(UploadError) {
        guard let maximum = limit?.sizeMaximum, job.size > maximum else { return }
        throw UploadError(
            .rejected,
            "\(client.address.displayURL) takes files of at most \(maximum) bytes, this one has \(job.size): raise the server's limit"
        )
    }

    /// The whole file in one request; with an interop version, its headers say that no more bytes follow.
    private func single(_ target: ResumableTarget, _ interop: ResumableInterop?) -> any UploadSession {
        let client = client
        return SinglePutSession(size: target.job.size, at: target.displayURL) {
            part, source, _, sent async throws(UploadError) -> CompletedUpload in
            let body = HTTPBody(source: source.read(part.range), size: part.size, sent: sent)
            let reply = try await client.send(
                target.method, target.url, interop,
                headers: interop.map { target.creation($0, isWhole: true) } ?? target.headers, body: body)
            guard (200..<300).contains(reply.status) else {
                throw client.failure(reply, of: target.method.rawValue, at: target.url)
            }
            let response = client.shown(reply, of: target.url)
            guard body.isComplete, reply.isUploadComplete != false || interop == nil else {
                throw UploadError(
                    .invalidResponse,
                    "\(target.displayURL) answered \(reply.status) and has not the whole file: check what is stored there",
                    response: response)
            }
            return CompletedUpload(target.object(reply, at: nil, response), response: response)
        }
    }
}
