import Foundation
import Logging
import Testing
import UploadSources
import UploadTesting
import Uploads

@testable import UploadClient
@testable import UploadClientTesting

@Suite("Following uploads", .timeLimit(.minutes(10))) struct ManagerCoreTests {
    private func with(_ test: (ManagerCore, RecordingBackend) async throws -> Void) async throws {
        let scratch = try TemporaryDirectory("core")
        try await withRecordingCore(try UploadIdentifier("app"), in: scratch.path("staging"), test)
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

    @Test func `what is being cancelled is told so, and until when it waits, whatever comes late`() async throws {
        try await with { core, backend in
            let handle = try await core.start(try Upload(.data(Data([1])), to: "archive:a"))
            let former = try await backend.baton(of: handle.id)
            var baton = former
            baton.isCancel = true
            _ = await core.take(UploadEvent(kind: .started, of: baton, at: Date()))
            guard case .cancelling(nil) = handle.latest.status else { throw DidNotHappen("a cancellation") }
            var event = UploadEvent(kind: .waiting, of: baton, at: Date())
            event.data.waitingUntil = .distantFuture
            _ = await core.take(event)
            _ = await core.take(UploadEvent(kind: .progress, of: former, at: Date()))
            guard case .cancelling(.distantFuture) = handle.latest.status else { throw DidNotHappen("a wait") }
            try await backend.end(handle.id, with: .cancelled)
            guard case .cancelled = handle.latest.status else { throw DidNotHappen("an end") }
        }
    }

    @Test func `an earlier round's end that no delegate has taken is not the end of the next round`() async throws {
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

    @Test func `closing leaves to the next run what its delegate neither takes nor refuses`() async throws {
        let scratch = try TemporaryDirectory("core")
        let area = try await StagingArea.open(at: scratch.path("staging"))
        let identifier = try UploadIdentifier("app")
        // The first delegate stops waiting when it is cancelled, the second does not.
        for isDeaf in [false, true] {
            let door = Door()
            let backend = try await RecordingBackend(identifier, area: area)
            let core = try await ManagerCore(
                identifier: identifier, area: area, backend: backend, logger: Logger(label: "test"),
                closingPatience: .milliseconds(50))
            await core.begin()
            await backend.waitUntilRunning()
            let slow = SlowDelegate(door: isDeaf ? door : nil)
            await core.setDelegate(slow)
            let handle = try await core.start(try Upload(.data(Data([1])), to: "archive:a"))
            try await backend.end(handle.id, with: .completed(StoredObject(location: "a"), response: nil))
            _ = try await handle.completion
            await core.close()
            let outcome = "\(handle.id).1.ended"
            let store = try await ClientStore.open(identifier, in: area)
            let untold = try await store.untold()
            #expect(untold.map { $0.end?.id } == [outcome])
            if !isDeaf {
                let told = Told()
                let next = try await ManagerCore(
                    identifier: identifier, area: area, backend: try await RecordingBackend(identifier, area: area),
                    logger: Logger(label: "test"))
                await next.begin()
                await next.setDelegate(told)
                try await eventually("it is told in the next run") { told.ids == [outcome] }
                await next.close()
            }
            // Its return still acknowledges.
            door.open()
            try await eventually("nothing waits") { try await store.untold().isEmpty }
        }
    }

    @Test func `closing tells what ends while the manager closes`() async throws {
        try await with { core, backend in
            let told = Told()
            await core.setDelegate(told)
            let handle = try await core.start(try Upload(.data(Data([1])), to: "archive:a"))
            // Recorded, and the manager has not looked since.
            let store = try await ClientStore.open(try UploadIdentifier("app"), in: core.area)
            let baton = try await backend.baton(of: handle.id)
            _ = try await store.end(with: UploadEvent(kind: .completed, of: baton, at: Date()))
            await core.close()
            #expect(told.ids == ["\(handle.id).1.ended"])
            await core.close()
        }
    }

    @Test func `a delegate that takes its time holds up no handle`() async throws {
        try await with { core, backend in
            let door = Door()
            await core.setDelegate(SlowDelegate(door: door))
            let first = try await core.start(try Upload(.data(Data([1])), to: "archive:a"))
            let second = try await core.start(try Upload(.data(Data([2])), to: "archive:b"))
            let baton = try await backend.baton(of: second.id)
            try await backend.end(first.id, with: .completed(StoredObject(location: "a"), response: nil))
            _ = try await first.completion
            try await eventually("the delegate is called") { await core.delivering != nil }
            // Another program records this end, and a look finds it.
            let store = try await ClientStore.open(try UploadIdentifier("app"), in: core.area)
            _ = try await store.end(with: UploadEvent(kind: .completed, of: baton, at: Date()))
            let third = try await core.start(try Upload(.data(Data([3])), to: "archive:c"))
            let last = try await backend.baton(of: third.id)
            _ = try await second.completion
            // The look after that one finds this end, too.
            _ = try await store.end(with: UploadEvent(kind: .completed, of: last, at: Date()))
            _ = try await third.completion
            door.open()
        }
    }

    /// Waits until a door opens, or until it is cancelled.
    private struct SlowDelegate: UploadDelegate {
        let door: Door?

        func uploadDidEnd(_ outcome: UploadOutcome) async throws {
            if let door { return await Task { await door.wait() }.value }
            let (stream, input) = AsyncStream<Never>.makeStream()
            for await _ in stream {}
            input.finish()
            try Task.checkCancellation()
        }
    }
}

/// Refuses every job.
private struct UnwillingBackend: UploadBackend {
    let namespace = "upload"
    let code: UploadError.Code

    func run(_ sink: @escaping @Sendable (UploadEvent) async -> Bool) async {}

    func accept(_ job: UploadJob) async throws(UploadError) { throw UploadError(code, "not accepted") }

    func holds(_ id: JobID) async throws(UploadError) -> Bool? { nil }

    func acceptAgain(_ job: UploadJob) async throws(UploadError) { throw UploadError(code, "not accepted") }

    func order(_ verb: Verb, _ id: JobID) async throws(UploadError) { throw UploadError(code, "not accepted") }

    func resume(_ upload: ResumableUpload) async throws(UploadError) -> Int { throw UploadError(code, "not accepted") }

    func catchUp() async throws(UploadError) {}

    func close() async {}
}
