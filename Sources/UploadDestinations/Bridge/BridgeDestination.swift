public import AsyncHTTPClient
import Foundation
public import Uploads

/// Uploads files of at most 50,000,000 bytes to Sage Bionetworks Bridge: requests an upload, puts the file with its MD5 to the URL of the
/// answer, calls Bridge to complete the upload, and waits for the validation if the configuration says so.
///
/// All jobs share the account's session, which is renewed when it ends. No message holds the URL: a worker that continues before the file is
/// stored requests the upload again, and Bridge answers with the same one; afterwards only the completing call is repeated.
public struct BridgeDestination: Destination {
    public static let driverName = "bridge"

    private let uploads: TicketUploads
    public let limits: TransferLimits

    /// - Parameter client: made with ``HTTPConfiguration/clientConfiguration``; its owner shuts it down.
    /// - Throws: `misconfigured` for an invalid URL.
    public init(
        _ configuration: BridgeConfiguration, client: HTTPClient = HTTPConfiguration.sharedClient
    ) throws(UploadError) {
        uploads = TicketUploads(
            source: BridgeSource(bridge: try BridgeClient(configuration, client: client)),
            put: TicketPut(client: client, times: configuration.times, tls: configuration.tls))
        limits = configuration.limits
    }

    public var driver: String { Self.driverName }

    /// The file goes up in one PUT, which cannot be interrupted and continued.
    public func canYield(_ job: UploadJob) -> Bool { false }

    /// `unknowable` before the file is stored, because Bridge chooses the names of its uploads; afterwards the upload's status.
    public func probe(_ job: UploadJob, state: UploadState?) async throws(UploadError) -> ProbeAnswer {
        try await uploads.probe(job, state)
    }

    public func open(
        _ job: UploadJob, resuming state: UploadState?
    ) async throws(UploadError) -> any UploadSession {
        try uploads.open(job, resuming: state)
    }

    /// Does nothing: Bridge has no call that removes an upload.
    public func discard(_ state: UploadState, of job: UploadJob) async throws(UploadError) {}
}
