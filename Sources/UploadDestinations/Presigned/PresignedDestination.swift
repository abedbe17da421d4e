public import AsyncHTTPClient
import Foundation
public import Uploads

/// Asks an endpoint for a URL for each file, puts the file there in one streaming PUT, and tells the endpoint when it is there.
///
/// A URL is a credential: it is in no message, so whoever goes on asks for another one, and so does a URL that has expired. Once the
/// bytes are there they are not sent again: the completing call is a step of its own. The endpoint's headers never go where the bytes go.
public struct PresignedDestination: Destination {
    public static let driverName = "presigned"

    private let uploads: TicketUploads
    public let limits: TransferLimits

    /// - Parameter client: made with ``HTTPConfiguration/clientConfiguration``; its owner shuts it down.
    /// - Throws: `misconfigured` for a URL or a template that is none.
    public init(
        _ configuration: PresignedConfiguration, client: HTTPClient = HTTPConfiguration.sharedClient
    ) throws(UploadError) {
        let source = try PresignedSource(configuration, client: client)
        uploads = TicketUploads(
            source: source, put: TicketPut(client: client, times: configuration.times, tls: configuration.tls))
        limits = configuration.limits
    }

    public var driver: String { Self.driverName }

    /// One PUT, which cannot be cut.
    public func canYield(_ job: UploadJob) -> Bool { false }

    /// `unknowable` before the bytes are there. Then by the status call, where there is one.
    public func probe(_ job: UploadJob, state: UploadState?) async throws(UploadError) -> ProbeAnswer {
        try await uploads.probe(job, state)
    }

    public func open(
        _ job: UploadJob, resuming state: UploadState?
    ) async throws(UploadError) -> any UploadSession {
        try uploads.open(job, resuming: state)
    }

    /// What was put stays: nobody but the endpoint may remove it, and it has no call for that.
    public func discard(_ state: UploadState, of job: UploadJob) async throws(UploadError) {}
}
