import Foundation
import Testing
import Uploads

@testable import UploadNotifier

@Suite("Registered delegates in the ledger")
struct DelegateRegisterTests {
    private let scratch: Scratch
    private let ledger: Ledger

    init() throws {
        scratch = try Scratch()
        ledger = try Ledger.open(path: scratch.file())
    }

    private func registration(_ name: String) -> DelegateRegistration {
        DelegateRegistration(name: name, definition: Data(#"{"secret":"hidden"}"#.utf8), createdAt: Sample.start)
    }

    @Test func `a restart finds them as they were registered and changed, in files for their owner alone`() async throws
    {
        try await ledger.register(registration("b"))
        try await ledger.register(registration("a"))
        let later = Sample.start.addingTimeInterval(60)
        try await ledger.redefine("b", Data("new".utf8), at: later)
        try ledger.close()
        let again = try Ledger.open(path: scratch.file())
        var changed = registration("b")
        changed.definition = Data("new".utf8)
        changed.changedAt = later
        let kept = try await again.registrations()
        #expect(kept == [registration("a"), changed])
        #expect("\(kept) \(String(reflecting: kept))".contains("hidden") == false)
        for suffix in ["", "-wal", "-shm"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: scratch.file() + suffix)
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(suffix)")
        }
    }
}
