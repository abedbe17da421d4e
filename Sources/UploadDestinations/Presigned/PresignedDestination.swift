public import AsyncHTTPClient
import Foundation
public import Uploads

/// Asks an endpoint for a URL for each file, sends the file there in one streaming PUT, and calls the endpoint when the file is stored.
///
/// A URL is a credential, so no message holds it: a worker that continues asks for another URL, and so does one whose URL has expired. Stored
/// bytes are not sent again: the completing call is a separate step. The endpoint's headers are never sent with the PUT.
public struct PresignedDestination: Destination {
    public static let driverName = "presigned"

    private let uploads: TicketUploads
    public let limits: TransferLimits

    /// - Parameter client: made with ``HTTPConfiguration/clientConfiguration``; its owner shuts it down.
    /// - Throws: `misconfigured` for an invalid URL or template.
    public init(
        _ configuration: PresignedConfiguration, client: HTTPClient = HTTPConfiguration.sharedClient
    ) throws(UploadError) {
        let source = try PresignedSource(configuration, client: client)
        uploads = TicketUploads(
            source: source, put: TicketPut(client: client, times: configuration.times, tls: configuration.tls))
        limits = configuration.limits
    }

    public var driver: String { Self.driverName }

    /// The file goes up in one PUT, which cannot be interrupted and continued.
    public func canYield(_ job: UploadJob) -> Bool { false }

    /// `unknowable` before the bytes are stored; afterwards the status call answers, where the configuration has one.
    public func probe(_ job: UploadJob, state: UploadState?) async throws(UploadError) -> ProbeAnswer {
        try await uploads.probe(job, state)
    }

    public func open(
        _ job: UploadJob, resuming state: UploadState?
    ) async throws(UploadError) -> any UploadSession {
        try uploads.open(job, resuming: state)
    }

    /// Does nothing: only the endpoint may remove a stored file, and it has no call for that.
    public func discard(_ state: UploadState, of job: UploadJob) async throws(UploadError) {}
}
