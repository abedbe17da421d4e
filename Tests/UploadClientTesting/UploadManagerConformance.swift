import Foundation
import Testing
import UploadClient
import UploadTesting
import Uploads

/// The rules that every upload manager must follow, checked through the protocol alone; run by each manager's tests.
struct UploadManagerConformance: Sendable {
    let rig: any ManagerRig
    let scratch: TemporaryDirectory
    /// The identifier of this test alone.
    let identifier: UploadIdentifier

    init(_ rig: any ManagerRig) throws {
        self.rig = rig
        scratch = try TemporaryDirectory("client")
        identifier = try UploadIdentifier(UniqueNames.make("app"))
    }

    /// One rule, with its check.
    struct Rule: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var check: @Sendable (UploadManagerConformance) async throws -> Void

        init(_ name: String, _ check: @escaping @Sendable (UploadManagerConformance) async throws -> Void) {
            testDescription = name
            self.check = check
        }
    }

    /// Checks a rule with a rig of its own, and ends the rig in any case.
    static func check(_ rule: Rule, with rig: some ManagerRig) async throws {
        do {
            try await rule.check(try UploadManagerConformance(rig))
        } catch {
            try? await rig.end()
            throw error
        }
        try await rig.end()
    }

    static let rules = starting + telling + goingOn

    func open() async throws -> any UploadManager { try await rig.open(identifier) }

    /// Opens a manager as a later run does, and gives it a delegate.
    /// - Returns: the delegate, after the manager has delivered all pending outcomes.
    func delegateOfNextRun() async throws -> Told {
        let manager = try await open()
        let delegate = Told()
        try await manager.setDelegate(delegate)
        _ = try await manager.handlePendingEvents()
        return delegate
    }

    func file(_ name: String, bytes count: Int = 100) throws -> URL {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        return URL(filePath: try scratch.write(bytes, to: name))
    }

    /// Waits until the upload ended, as seen from outside: no handle takes its outcome by that.
    func waitForEnd(of id: JobID, _ manager: any UploadManager) async throws {
        try await eventually("the upload has ended") { try await !manager.uploads().contains { $0.id == id } }
    }
}
