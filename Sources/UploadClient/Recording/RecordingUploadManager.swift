public import Foundation
import Logging
import UploadSources
public import Uploads

/// A manager for the tests of an app: it accepts uploads like any other and sends nothing. The test decides their
/// course with ``report(_:bytesDone:)`` and ``end(_:with:)``.
public final class RecordingUploadManager: UploadManager, CoreUploadManager {
    package let core: ManagerCore
    private let backend: RecordingBackend

    /// - Parameter directory: keeps the state that a second manager of the same identifier is to find again; created
    ///   when it is missing.
    /// - Throws: `misconfigured` when the directory cannot be used.
    public init(_ identifier: UploadIdentifier, directory: URL) async throws(UploadError) {
        let area = try await StagingArea.open(at: directory.path(percentEncoded: false))
        backend = try await RecordingBackend(identifier, area: area)
        core = try await ManagerCore(
            identifier: identifier, area: area, backend: backend, logger: Logger(label: "upload-client"))
        await core.begin()
        await backend.waitUntilRunning()
    }

    // MARK: For the test

    /// Every job that this manager has accepted, oldest first.
    public var jobs: [UploadJob] { backend.jobs }

    /// An unfinished upload's job, from any program of the identifier, without inline bytes.
    /// - Throws: `rejected` for an upload that is not known or has ended.
    public func job(of id: JobID) async throws(UploadError) -> UploadJob { try await backend.baton(of: id).job }

    /// Every order that was given to this manager, in order.
    public var orders: [(verb: Verb, id: JobID)] { backend.orders }

    /// The bytes that a real manager would send.
    /// - Throws: `invalidFile` when they are gone, as after the end of the upload.
    public func content(of id: JobID) async throws(UploadError) -> Data { try await backend.content(of: id) }

    /// Reports that the upload runs and has come so far.
    /// - Parameter bytesDone: bytes of the file that the destination is to hold.
    /// - Throws: `rejected` for an upload that is not known or has ended.
    public func report(_ id: JobID, bytesDone: Int64) async throws(UploadError) {
        try await backend.report(id, bytesDone: bytesDone)
    }

    /// Ends the upload, from any program of the identifier; the end is recorded when this returns.
    /// - Throws: `rejected` for an upload that is not known or has ended.
    public func end(_ id: JobID, with outcome: Outcome) async throws(UploadError) {
        try await backend.end(id, with: outcome)
    }
}
