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
        try await UploadManagerConformance.check(rule, with: try RecordingRig())
    }

    @Test func `an object that lies at a destination is carried without a copy, and its size becomes known`()
        async throws
    {
        let scratch = try TemporaryDirectory("recorded")
        let manager = try await RecordingUploadManager(try UploadIdentifier("app"), directory: scratch.url)
        let object = try DestinationReference("photos:2026/cat.jpg")
        let handle = try await manager.start(try Upload(.object(object), to: "file:///srv/in/cat"))
        let job = try #require(manager.jobs.first)
        #expect(job.source == .object(object, seen: nil) && job.size == 0 && job.contentType == "image/jpeg")
        #expect(!handle.latest.isSizeKnown && handle.latest.fractionDone == 0)
        // The manager has no bytes to read.
        await #expect(throws: UploadError.self) { try await manager.content(of: handle.id) }
        let stored = StoredObject(location: "/srv/in/cat", size: 300)
        try await manager.end(handle.id, with: .completed(stored, response: nil))
        _ = try await handle.completion
        #expect(handle.latest.isSizeKnown && handle.latest.bytesTotal == 300 && handle.latest.bytesDone == 300)
        // If neither name shows the type, the object's own type counts.
        let plain = try await manager.start(try Upload(.object(.named(DestinationName("photos"), key: "a")), to: "x:b"))
        #expect(manager.jobs.first { $0.id == plain.id }?.contentType == ContentType.unknown)
        await manager.close()
    }

    @Test func `an idempotency key is of one object`() async throws {
        let scratch = try TemporaryDirectory("recorded")
        let manager = try await RecordingUploadManager(try UploadIdentifier("app"), directory: scratch.url)
        func start(_ content: UploadContent) async throws -> UploadJob? {
            var upload = try Upload(content, to: "archive:a")
            upload.idempotencyKey = "one"
            let id = try await manager.start(upload).id
            return manager.jobs.first { $0.id == id }
        }
        let signed = DestinationReference.url("https://store.example/a?signature=1")
        let first = try await start(.object(signed))
        #expect(first?.source == .object(signed, seen: nil))
        let again = try await start(.object(signed))
        #expect(again == first && manager.jobs.count == 1)
        for other in [UploadContent.object(.url("https://store.example/b")), .data(Data())] {
            let refused = await #expect(throws: UploadError.self) { _ = try await start(other) }
            #expect(refused?.code == .rejected)
        }
        await manager.close()
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
