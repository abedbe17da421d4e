import Foundation
import UploadClient
import Uploads

/// What a kind of upload manager is tried with.
protocol ManagerRig: Sendable {
    /// What uploads pass on their way.
    var gate: Gate { get }

    /// A manager of the rig's one store, as one more program would open it; closed at the rig's end at the latest.
    func open(_ identifier: UploadIdentifier) async throws -> any UploadManager

    /// What lies under a key of the destination `archive`.
    func content(_ key: String) async throws -> [UInt8]?

    /// Closes all managers and releases what the rig holds.
    func end() async throws
}
