public import AsyncHTTPClient
import Foundation
public import Uploads

/// Uploads files of at most 50,000,000 bytes to Sage Bionetworks Bridge: asks for an upload, puts the file to the URL that comes back, with
/// its MD5, says that it is there, and waits until it is validated if that is wanted.
///
/// The account's session is shared by all jobs and renewed when it ends. The URL is in no message: whoever goes on before the file is there
/// asks again, and Bridge gives the same upload; after that only the completing call is repeated.
public struct BridgeDestination: Destination {
    public static let driverName = "bridge"

    private let uploads: TicketUploads
    public let limits: TransferLimits

    /// - Parameter client: made with ``HTTPConfiguration/clientConfiguration``; its owner shuts it down.
    /// - Throws: `misconfigured` for a URL that is none.
    public init(
        _ configuration: BridgeConfiguration, client: HTTPClient = HTTPConfiguration.sharedClient
    ) throws(UploadError) {
        uploads = TicketUploads(
            source: BridgeSource(bridge: try BridgeClient(configuration, client: client)),
            put: TicketPut(client: client, times: configuration.times, tls: configuration.tls))
        limits = configuration.limits
    }

    public var driver: String { Self.driverName }

    /// One PUT, which cannot be cut.
    public func canYield(_ job: UploadJob) -> Bool { false }

    /// `unknowable` before the file is there: Bridge names its uploads itself. Then by its status.
    public func probe(_ job: UploadJob, state: UploadState?) async throws(UploadError) -> ProbeAnswer {
        try await uploads.probe(job, state)
    }

    public func open(
        _ job: UploadJob, resuming state: UploadState?
    ) async throws(UploadError) -> any UploadSession {
        try uploads.open(job, resuming: state)
    }

    /// Bridge has no call that takes an upload back.
    public func discard(_ state: UploadState, of job: UploadJob) async throws(UploadError) {}
}
