import Foundation
import Logging
import Testing
import UploadSources
import UploadTesting
import Uploads

@testable import UploadClient

@Suite("Following uploads", .timeLimit(.minutes(10))) struct ManagerCoreTests {
    private func with(_ test: (ManagerCore, RecordingBackend) async throws -> Void) async throws {
        let scratch = try TemporaryDirectory("core")
        let area = try await StagingArea.open(at: scratch.path("staging"))
        let identifier = try UploadIdentifier("app")
        let backend = try await RecordingBackend(identifier, area: area)
        let core = try await ManagerCore(
            identifier: identifier, area: area, backend: backend, logger: Logger(label: "test"))
        await core.begin()
        await backend.waitUntilRunning()
        do {
            try await test(core, backend)
        } catch {
            await core.close()
            throw error
        }
        await core.close()
    }

    @Test func `nothing of an upload is kept after its end but by its handles`() async throws {
        try await with { core, backend in
            let handle = try await core.start(try Upload(.data(Data([1])), to: "archive:a"))
            try await backend.end(handle.id, with: .completed(StoredObject(location: "a"), response: nil))
            #expect(await core.followed.isEmpty)
            let receipt = try await handle.completion
            #expect(receipt.object.location == "a")
        }
    }

    @Test func `the size of an object is learned from the first event that tells it`() async throws {
        try await with { core, backend in
            let object = try DestinationReference("photos:cat.jpg")
            let handle = try await core.start(try Upload(.object(object), to: "archive:a"))
            var baton = try await backend.baton(of: handle.id)
            _ = await core.take(UploadEvent(kind: .started, of: baton, at: Date()))
            #expect(!handle.latest.isSizeKnown && handle.latest.fractionDone == 0)
            baton.job = baton.job.examined(as: StoredObject(location: "cat.jpg", size: 200))
            var event = UploadEvent(kind: .progress, of: baton, at: Date())
            event.data.bytesDone = 50
            _ = await core.take(event)
            #expect(handle.latest.bytesTotal == 200 && handle.latest.fractionDone == 0.25)
        }
    }

    @Test func `an earlier round's end that nobody has taken is not the end of the next round`() async throws {
        try await with { core, backend in
            let handle = try await core.start(try Upload(.data(Data([1])), to: "archive:a"))
            try await backend.end(handle.id, with: .failed(UploadError(.rejected, "no"), state: nil))
            guard case .failed(let failure) = handle.latest.status else { throw DidNotHappen("a failure") }
            let resumed = try await core.resume(with: try #require(failure.state))
            _ = try await core.handlePendingEvents()
            #expect(!resumed.latest.status.isEnd)
            try await backend.end(handle.id, with: .completed(StoredObject(location: "a"), response: nil))
            _ = try await resumed.completion
        }
    }

    @Test(arguments: [(UploadError.Code.networkFailure, true), (.rejected, false), (.invalidFile, false)])
    func `only an upload that may have been taken keeps its copy when it is not accepted`(
        _ code: UploadError.Code, _ keepsCopy: Bool
    ) async throws {
        let scratch = try TemporaryDirectory("core")
        let area = try await StagingArea.open(at: scratch.path("staging"))
        let core = try await ManagerCore(
            identifier: try UploadIdentifier("app"), area: area, backend: UnwillingBackend(code: code),
            logger: Logger(label: "test"))
        await core.begin()
        let before = try scratch.names(in: "staging")
        let error = await #expect(throws: UploadError.self) {
            _ = try await core.start(try Upload(.data(Data(count: 100_000)), to: "archive:a"))
        }
        #expect(error?.code == code)
        #expect((try scratch.names(in: "staging").count > before.count) == keepsCopy)
        await core.close()
    }
}

/// Accepts nothing.
private struct UnwillingBackend: UploadBackend {
    let namespace = "upload"
    let code: UploadError.Code

    func run(_ sink: @escaping @Sendable (UploadEvent) async -> Bool) async {}

    func accept(_ job: UploadJob) async throws(UploadError) { throw UploadError(code, "not accepted") }

    func order(_ verb: Verb, _ id: JobID) async throws(UploadError) { throw UploadError(code, "not accepted") }

    func resume(_ upload: ResumableUpload) async throws(UploadError) -> Int { throw UploadError(code, "not accepted") }

    func catchUp() async throws(UploadError) {}

    func close() async {}
}
