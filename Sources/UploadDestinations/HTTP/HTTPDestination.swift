public import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
public import Uploads

/// Sends files by PUT (RFC 9110, section 9.3.4) or POST, to an open or pre-signed URL or below a configured one: as the whole body, or as
/// part of a form.
///
/// The whole file goes in one streaming request. Such an upload cannot be interrupted and continued: it is sent again from the start, and
/// cannot yield. Where the configuration says that the server writes ranges in place, a large file goes up in several PUTs, and another
/// worker continues where one stopped. Redirects are not followed. The URL's query is a credential: no error holds it, and it is blotted out
/// of the server's answers.
///
/// A POST is not idempotent: when its answer is lost it is sent again, and the server may then have stored the file twice, unless it knows
/// `Idempotency-Key`.
public struct HTTPDestination: RoundDestination {
    public static let driverName = "http"

    /// With the secrets as they were when the destination was made.
    let configuration: HTTPConfiguration
    private let client: HTTPClient
    private let digestSession = HTTPDigestSession()
    private let renew: (@Sendable () throws(UploadError) -> HTTPConfiguration)?

    /// - Parameters:
    ///   - client: made with ``HTTPConfiguration/clientConfiguration``; its owner shuts it down.
    ///   - renew: reads the configuration with its present secrets, called for each step; nil where secrets cannot change.
    public init(
        _ configuration: HTTPConfiguration, client: HTTPClient = HTTPConfiguration.sharedClient,
        renew: (@Sendable () throws(UploadError) -> HTTPConfiguration)? = nil
    ) {
        self.configuration = configuration
        self.client = client
        self.renew = renew
    }

    public var driver: String { Self.driverName }

    /// One range at a time: a server that writes a range beyond the file's end leaves a gap.
    public var limits: TransferLimits {
        var limits = configuration.limits
        if configuration.ranges { limits.parts = 1 }
        return limits
    }

    public func canYield(_ job: UploadJob) -> Bool { isInRanges(job) }

    /// `unknowable`, unless the configuration says that the server answers HEAD. Then the digest in the answer decides (`Repr-Digest`,
    /// RFC 9530; `x-amz-checksum-crc64nvme`); an object without one counts as another object. For an upload in ranges that has begun, the
    /// object's length and ETag decide.
    public func probe(_ job: UploadJob, state: UploadState?) async throws(UploadError) -> ProbeAnswer {
        if isInRanges(job), let state, let known = try? HTTPState(state), known.belongs(to: job) {
            return try await HTTPRanges(target(job), exchange(target(job))).probe(known)
        }
        guard configuration.answersHead || configuration.ranges, configuration.method == .put else {
            return .unknowable
        }
        let target = try target(job)
        let response = target.shown(try await exchange(target).run(target.request(.HEAD), body: nil))
        switch response.status {
        case 200..<300:
            let object = target.object(response, of: nil)
            if object.size == job.size, object.digests.confirms(job.digests) {
                return .complete(CompletedUpload(object, response: response))
            }
            return .other(object, isNewer: false)
        case 404, 410: return .nothing
        default: throw target.failure(response, of: .HEAD)
        }
    }

    public func open(_ job: UploadJob, resuming state: UploadState?) async throws(UploadError) -> any UploadSession {
        try await open(job, round: 1, resuming: state)
    }

    /// A state of an earlier configuration with ranges is ignored when there are no ranges any more: the file goes up in one request.
    public func open(
        _ job: UploadJob, round: Int, resuming state: UploadState?
    ) async throws(UploadError) -> any UploadSession {
        let target = try target(job, round: round)
        let upload = try HTTPUpload(target, exchange(target))
        guard isInRanges(job) else {
            return SinglePutSession(size: job.size, at: target.displayURL) {
                part, source, condition, sent async throws(UploadError) -> CompletedUpload in
                try await upload.send(part, from: source, condition, sent)
            }
        }
        let ranges = HTTPRanges(target, exchange(target))
        guard let state else { return HTTPRangeSession(ranges, HTTPState(job, partBytes: configuration.partBytes)) }
        let known = try HTTPState(state)
        guard known.belongs(to: job) else { throw ranges.gone }
        return try await HTTPRangeSession(ranges, resuming: known)
    }

    /// A request that was cut off leaves nothing to remove. An unfinished file in ranges is removed where its last range proves that it belongs
    /// to this upload.
    public func discard(_ state: UploadState, of job: UploadJob) async throws(UploadError) {
        guard isInRanges(job), let known = try? HTTPState(state), known.belongs(to: job) else { return }
        try await HTTPRanges(target(job), exchange(target(job))).remove(known)
    }

    /// Only below a configured URL: nothing is known about the servers of other URLs.
    private func isInRanges(_ job: UploadJob) -> Bool {
        guard case .named = job.destination else { return false }
        return configuration.ranges && configuration.method == .put && configuration.form == nil
            && job.size > configuration.partBytes
    }

    /// - Throws: `misconfigured`, also for a missing secret.
    func target(_ job: UploadJob, round: Int = 1) throws(UploadError) -> HTTPTarget {
        guard let renew else { return try HTTPTarget(job, configuration, round: round) }
        return try HTTPTarget(job, renew(), round: round)
    }

    func exchange(_ target: HTTPTarget) -> HTTPExchange {
        var exchange = HTTPExchange(client: client, times: configuration.times, displayURL: target.displayURL)
        exchange.digest = target.configuration.digest.map {
            HTTPDigestAuthentication(login: $0, session: digestSession)
        }
        return exchange
    }
}
