public import AsyncHTTPClient
import Foundation
public import Uploads

/// Sends files to a server that speaks tus 1.0 (https://tus.io/protocols/resumable-upload): creation, core, checksum,
/// termination, and concatenation where it is configured.
///
/// POST makes an upload, one PATCH after the other fills it, and any worker that has its URL from the baton can continue it: HEAD answers how
/// many bytes the server holds. The server makes a new place for each upload, so nothing is ever overwritten. Without the URL the server
/// cannot be asked: an upload whose worker died before it handed the URL over expires at the server. Redirects are not followed. An upload's
/// URL may be a credential: no error holds its query.
public struct TusDestination: Destination {
    public static let driverName = "tus"

    let configuration: TusConfiguration
    private let client: TusClient

    /// - Parameter client: made with ``HTTPConfiguration/clientConfiguration``; its owner shuts it down.
    /// - Throws: `misconfigured` for an invalid URL.
    public init(
        _ configuration: TusConfiguration, client: HTTPClient = HTTPConfiguration.sharedClient
    ) throws(UploadError) {
        self.configuration = configuration
        self.client = try TusClient(configuration, client: client)
    }

    public var driver: String { Self.driverName }

    /// One part at a time, because bytes can be added at the end only; with concatenation as many as the limits allow.
    public var limits: TransferLimits {
        var limits = configuration.limits
        if !configuration.concatenates { limits.parts = 1 }
        return limits
    }

    /// Always: the server keeps the bytes that have arrived, even in the middle of a part.
    public func canYield(_ job: UploadJob) -> Bool { true }

    /// Asks with HEAD for the uploads of the state; `unknowable` without a state.
    public func probe(_ job: UploadJob, state: UploadState?) async throws(UploadError) -> ProbeAnswer {
        guard let state else { return .unknowable }
        guard let known = try? TusState(state), let streams = try await streams(of: job, known) else { return .nothing }
        guard case .whole = known.place, let stream = streams.first, stream.reached == job.size else {
            return .partial(state, beside: nil)
        }
        return .complete(CompletedUpload(stream.upload.object, response: stream.response))
    }

    /// - Throws: `rejected` for a job whose `--if-exists` is not `replace`, and the errors of the protocol.
    public func open(
        _ job: UploadJob, resuming state: UploadState?
    ) async throws(UploadError) -> any UploadSession {
        let metadata = try TusMetadata(job, key: key(of: job))
        if let state { return try await resume(job, metadata, TusState(state)) }
        guard job.ifExists == .replace else {
            throw UploadError(
                .rejected,
                "a tus server makes a new place for each upload and cannot say what is there already: enqueue the file with "
                    + "--if-exists replace")
        }
        let isConcatenated = configuration.concatenates && job.size > configuration.partBytes
        let capabilities = try await client.capabilities(isNeeded: isConcatenated)
        try capabilities.check(job, at: client.address.displayURL)
        if isConcatenated {
            guard capabilities.concatenates else {
                throw UploadError(
                    .misconfigured,
                    "\(client.address.displayURL) does not offer concatenation: remove it from the destination")
            }
            return try await TusConcatenation(begin: job, metadata, by: client)
        }
        let upload = try await TusUpload.create(job, 0..<job.size, metadata, by: client)
        return TusSession(
            TusStream(upload, reached: 0), TusState(.whole(upload.url), partBytes: configuration.partBytes))
    }

    /// A complete upload stays: it is the job's own object. Parts for a concatenation are all removed.
    public func discard(_ state: UploadState, of job: UploadJob) async throws(UploadError) {
        guard let known = try? TusState(state), let places = known.uploads(of: job.size) else { return }
        for (url, range) in places {
            let upload = try upload(of: job, at: url, range)
            if case .whole = known.place {
                guard let held = try await upload.held(), held.reached < job.size else { return }
            }
            try await upload.remove()
        }
    }

    private func resume(
        _ job: UploadJob, _ metadata: TusMetadata, _ state: TusState
    ) async throws(UploadError) -> any UploadSession {
        guard let streams = try await streams(of: job, state) else { throw client.gone(state.displayURL) }
        if case .whole = state.place, let stream = streams.first {
            return TusSession(stream, state, isAlone: !configuration.concatenates)
        }
        return TusConcatenation(job, metadata, streams, state, by: client)
    }

    /// Asks for every upload that a state names.
    /// - Returns: nil when one of them is gone.
    private func streams(of job: UploadJob, _ state: TusState) async throws(UploadError) -> [TusStream]? {
        guard let places = state.uploads(of: job.size) else { return nil }
        var streams: [TusStream] = []
        for (url, range) in places {
            let upload = try upload(of: job, at: url, range)
            guard let held = try await upload.held() else { return nil }
            streams.append(TusStream(upload, reached: held.reached, response: held.response))
        }
        return streams
    }

    private func upload(of job: UploadJob, at url: String, _ range: Range<Int64>) throws(UploadError) -> TusUpload {
        try client.address.check(url)
        return TusUpload(client: client, job: job, url: url, range: range)
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
