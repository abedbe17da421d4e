public import AsyncHTTPClient
import Foundation
public import Uploads

/// Sends files to a server that speaks tus 1.0 (https://tus.io/protocols/resumable-upload): creation, core, checksum, termination.
///
/// An upload is made by POST, filled by one PATCH after the other, and gone on with by whoever holds its URL, which travels in the
/// baton: HEAD says how many bytes the server holds, to the byte. The server makes a place of its own for each upload, so nothing is
/// ever overwritten, and without its URL nothing can be asked: what a worker made and died before handing it over expires at the server.
/// Redirects are not followed. An upload's URL may be a credential: its query is in no error.
public struct TusDestination: Destination {
    public static let driverName = "tus"

    let configuration: TusConfiguration
    private let client: TusClient

    /// - Parameter client: made with ``HTTPConfiguration/clientConfiguration``; its owner shuts it down.
    /// - Throws: `misconfigured` for a URL that is none.
    public init(
        _ configuration: TusConfiguration, client: HTTPClient = HTTPConfiguration.sharedClient
    ) throws(UploadError) {
        self.configuration = configuration
        self.client = try TusClient(configuration, client: client)
    }

    public var driver: String { Self.driverName }

    /// One part at a time: bytes are added at the end only.
    public var limits: TransferLimits {
        var limits = configuration.limits
        limits.parts = 1
        return limits
    }

    /// Always: what has arrived of a part stays, too.
    public func canYield(_ job: UploadJob) -> Bool { true }

    /// By HEAD of the upload that the state names; `unknowable` without one.
    public func probe(_ job: UploadJob, state: UploadState?) async throws(UploadError) -> ProbeAnswer {
        guard let state else { return .unknowable }
        guard let known = try? TusState(state) else { return .nothing }
        let upload = try upload(of: job, known)
        guard let standing = try await upload.standing() else { return .nothing }
        guard standing.offset == job.size else { return .partial(state, beside: nil) }
        return .complete(CompletedUpload(upload.object, response: standing.response))
    }

    /// - Throws: `rejected` for a job that wants to know what is there already, besides what the protocol says.
    public func open(
        _ job: UploadJob, resuming state: UploadState?
    ) async throws(UploadError) -> any UploadSession {
        if let state {
            let known = try TusState(state)
            let upload = try upload(of: job, known)
            guard let standing = try await upload.standing() else { throw client.gone(known.url) }
            return TusSession(upload, known, holding: standing.offset, response: standing.response)
        }
        let key = try key(of: job)
        guard job.ifExists == .replace else {
            throw UploadError(
                .rejected,
                "a tus server makes a new place for each upload and cannot say what is there already: enqueue the file with "
                    + "--if-exists replace")
        }
        let upload = try await TusUpload.create(job, key: key, by: client)
        return TusSession(upload, TusState(url: upload.url, partBytes: configuration.partBytes), holding: 0)
    }

    /// What is complete stays: it is no remains, but the job's own object.
    public func discard(_ state: UploadState, of job: UploadJob) async throws(UploadError) {
        guard let known = try? TusState(state) else { return }
        let upload = try upload(of: job, known)
        guard let standing = try await upload.standing(), standing.offset < job.size else { return }
        try await upload.remove()
    }

    private func upload(of job: UploadJob, _ state: TusState) throws(UploadError) -> TusUpload {
        try client.address.check(state.url)
        return TusUpload(client: client, job: job, url: state.url)
    }

    private func key(of job: UploadJob) throws(UploadError) -> String {
        guard case .named(_, let key) = job.destination else {
            throw UploadError(.misconfigured, "a tus destination is named: use NAME:KEY instead of a URL")
        }
        guard !key.isEmpty else {
            throw UploadError(.rejected, "the key is empty: use NAME:KEY with a key of at least one character")
        }
        return key
    }
}
