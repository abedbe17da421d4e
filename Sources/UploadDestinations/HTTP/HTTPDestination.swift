public import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
public import Uploads

/// Sends the whole file in one streaming PUT (RFC 9110, section 9.3.4), to an open or pre-signed URL or below a configured one.
///
/// Such an upload cannot be interrupted and gone on with: it is sent again from the start, and cannot yield. Redirects are not
/// followed. The URL's query is a credential: it is in no error, and what a server echoes of it is blotted out.
public struct HTTPDestination: Destination {
    public static let driverName = "http"

    let configuration: HTTPConfiguration
    private let client: HTTPClient

    /// - Parameter client: made with ``HTTPConfiguration/clientConfiguration``; its owner shuts it down.
    public init(_ configuration: HTTPConfiguration, client: HTTPClient = HTTPConfiguration.sharedClient) {
        self.configuration = configuration
        self.client = client
    }

    public var driver: String { Self.driverName }
    public var limits: TransferLimits { configuration.limits }

    public func canYield(_ job: UploadJob) -> Bool { false }

    /// `unknowable`, unless the configuration says that HEAD is answered. Then by the digest that the server tells
    /// (`Repr-Digest`, RFC 9530; `x-amz-checksum-crc64nvme`); what has none counts as something else.
    public func probe(_ job: UploadJob, state: UploadState?) async throws(UploadError) -> ProbeAnswer {
        guard configuration.answersHead else { return .unknowable }
        let target = try HTTPTarget(job, configuration)
        let response = target.shown(try await exchange(target).run(target.request(.HEAD), body: nil))
        switch response.status {
        case 200..<300:
            let object = target.object(response, of: nil)
            if object.size == job.size, object.digests.confirms(job.digests) {
                return .complete(CompletedUpload(object, response: response))
            }
            return .other(object, isNewer: false)
        case 404, 410: return .nothing
        default: throw target.failure(response)
        }
    }

    public func open(
        _ job: UploadJob, resuming state: UploadState?
    ) async throws(UploadError) -> any UploadSession {
        let target = try HTTPTarget(job, configuration)
        let exchange = exchange(target)
        return SinglePutSession(size: job.size, at: target.displayURL) {
            part, source, condition, sent async throws(UploadError) -> CompletedUpload in
            let request = try target.request(.PUT, condition)
            let body = HTTPBody(source: source.read(part.range), size: part.size, sent: sent)
            let response = target.shown(try await exchange.run(request, body: body))
            guard (200..<300).contains(response.status) else { throw target.failure(response) }
            guard body.isComplete else {
                throw UploadError(
                    .invalidResponse,
                    "\(target.displayURL) answered \(response.status) before it had the whole file: check what is stored there",
                    response: response)
            }
            return CompletedUpload(target.object(response, of: (part.size, job.digests)), response: response)
        }
    }

    func exchange(_ target: HTTPTarget) -> HTTPExchange {
        HTTPExchange(
            client: client,
            times: HTTPTimes(
                firstByteSeconds: configuration.firstByteSeconds, stallSeconds: configuration.stallSeconds),
            displayURL: target.displayURL)
    }

    /// A PUT that was cut off leaves nothing that could be removed.
    public func discard(_ state: UploadState, of job: UploadJob) async throws(UploadError) {}
}
