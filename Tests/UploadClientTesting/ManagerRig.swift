import Foundation
import UploadClient
import Uploads

/// The environment in which the conformance rules check one kind of upload manager.
protocol ManagerRig: Sendable {
    /// The gate that all uploads pass.
    var gate: Gate { get }

    /// Opens a manager of the rig's one store, like a further program; the rig closes it at its end, if the test does
    /// not.
    func open(_ identifier: UploadIdentifier) async throws -> any UploadManager

    /// The content under a key of the destination `archive`.
    func content(_ key: String) async throws -> [UInt8]?

    /// Closes all managers and releases what the rig holds.
    func end() async throws
}
