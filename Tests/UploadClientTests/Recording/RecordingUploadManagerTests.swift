import Foundation
import Testing
import UploadClient
import UploadTesting
import Uploads

@testable import UploadClientTesting

@Suite("The recording upload manager", .timeLimit(.minutes(10)))
struct RecordingUploadManagerTests {
    @Test(arguments: UploadManagerConformance.rules)
    func `does what every upload manager must do`(rule: UploadManagerConformance.Rule) async throws {
        let rig = try RecordingRig()
        do {
            try await rule.check(try UploadManagerConformance(rig))
            await rig.end()
        } catch {
            await rig.end()
            throw error
        }
    }

    @Test func `shows a test what was asked for`() async throws {
        let scratch = try TemporaryDirectory("recorded")
        let manager = try await RecordingUploadManager(try UploadIdentifier("app"), directory: scratch.url)
        let handle = try await manager.start(try Upload(.data(Data("hello".utf8)), to: "photos:a.txt"))
        #expect(manager.jobs.map(\.destination.displayText) == ["photos:a.txt"])
        let content = try await manager.content(of: handle.id)
        #expect(content == Data("hello".utf8))
        try await handle.pause()
        #expect(manager.orders.map(\.verb) == [.pause] && manager.orders.map(\.id) == [handle.id])
        try await manager.report(handle.id, bytesDone: 3)
        #expect(handle.latest.bytesDone == 3)
        try await manager.end(handle.id, with: .failed(UploadError(.serverFailure, "it is away"), state: nil))
        let failure = await #expect(throws: UploadFailure.self) { _ = try await handle.completion }
        #expect(failure?.reason == .serverFailure)
        await #expect(throws: UploadError.self) { try await manager.end(handle.id, with: .cancelled) }
        await manager.close()
    }
}
