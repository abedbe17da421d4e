import Foundation
import Testing
import UploadClient
import UploadTesting
import Uploads

extension UploadManagerConformance {
    static let goingOn = [
        Rule("a failure hands over what another program needs to go on") { suite in
            let manager = try await suite.open()
            suite.rig.gate.refuse()
            let file = try suite.file("a.bin", bytes: 100_000)
            let handle = try await manager.upload(file, to: "archive:a.bin")
            let failure = await #expect(throws: UploadFailure.self) { _ = try await handle.completion }
            let state = try JSONEncoder().encode(try #require(failure?.state))
            await manager.close()
            let later = try await suite.open()
            let delegate = Told()
            try await later.setDelegate(delegate)
            _ = try await later.handlePendingEvents()
            let resumed = try await later.resume(with: try JSONDecoder().decode(ResumableUpload.self, from: state))
            #expect(resumed.id == handle.id)
            let receipt = try await resumed.completion
            #expect(receipt.object.size == 100_000)
            let content = try await suite.rig.content("a.bin")
            #expect(content == Array(try Data(contentsOf: file)))
            try await eventually("the second round is told") { delegate.ids.last == "\(handle.id).2.ended" }
            // Returned by the first program's handle, or delivered to the second program: never a third time.
            #expect(Set(delegate.ids).count == delegate.ids.count)
        },
        Rule("a failed upload is resumed with callbacks, in the program where it failed") { suite in
            let manager = try await suite.open()
            suite.rig.gate.refuse(2)
            let handle = try await manager.upload(try suite.file("a"), to: "archive:a")
            let failure = await #expect(throws: UploadFailure.self) { _ = try await handle.completion }
            let second = try await manager.resume(with: try #require(failure?.state))
            let again = await #expect(throws: UploadFailure.self) { _ = try await second.completion }
            let done = Box(false)
            await manager.resume(
                with: try #require(again?.state), onSuccess: { _ in done.change { $0 = true } },
                onError: { Issue.record($0) })
            try await eventually("the third round completes") { done.value }
        },
        Rule("what completed or is not known cannot be resumed") { suite in
            let manager = try await suite.open()
            let handle = try await manager.upload(try suite.file("a"), to: "archive:a")
            _ = try await handle.completion
            let job = UploadJob(
                source: .inline(Data()), destination: .named(DestinationName(unchecked: "archive"), key: "x"), size: 0)
            for job in [try #require(try await suite.job(of: handle.id, manager)), job] {
                let error = await #expect(throws: UploadError.self) {
                    _ = try await manager.resume(with: ResumableUpload(job: job, round: 1, state: nil))
                }
                #expect(error?.code == .rejected)
            }
        },
        Rule("unfinished uploads are saved and restored, and none is doubled") { suite in
            let manager = try await suite.open()
            suite.rig.gate.hold()
            var ids: Set<JobID> = []
            for name in ["a", "b"] {
                ids.insert(try await manager.upload(try suite.file(name), to: "archive:\(name)").id)
            }
            let saved = try JSONEncoder().encode(try await manager.saveExecutingUploads())
            await manager.close()
            let later = try await suite.open()
            let uploads = try JSONDecoder().decode(SavedUploads.self, from: saved)
            let handles = try await later.restoreUploads(from: uploads)
            #expect(Set(handles.map(\.id)) == ids && handles.count == 2)
            let open = try await later.uploads()
            #expect(Set(open.map(\.id)) == ids && open.count == 2)
            suite.rig.gate.letGo()
            for handle in handles { _ = try await handle.completion }
            // An upload that has ended meanwhile gives its outcome.
            let again = try await later.restoreUploads(from: uploads)
            #expect(Set(again.map(\.id)) == ids)
            for handle in again { _ = try await handle.completion }
            let rest = try await later.uploads()
            #expect(rest.isEmpty)
        },
        Rule("saved uploads of another identifier are refused") { suite in
            let manager = try await suite.open()
            let other = try UploadIdentifier("somebody-else")
            await #expect(throws: UploadError.self) {
                _ = try await manager.restoreUploads(from: SavedUploads(identifier: other, uploads: []))
            }
        },
        Rule("a cancelled upload ends as such and leaves nothing") { suite in
            let manager = try await suite.open()
            let delegate = Told()
            try await manager.setDelegate(delegate)
            suite.rig.gate.hold()
            let handle = try await manager.upload(try suite.file("a", bytes: 100_000), to: "archive:cancelled")
            try await handle.cancel()
            let failure = await #expect(throws: UploadFailure.self) { _ = try await handle.completion }
            #expect(failure?.reason == .cancelled && failure?.state == nil)
            suite.rig.gate.letGo()
            try await eventually("it is told") { delegate.ids == ["\(handle.id).1.ended"] }
            let content = try await suite.rig.content("cancelled")
            #expect(content == nil)
        },
        Rule("a paused upload says so and goes on when it is resumed") { suite in
            let manager = try await suite.open()
            suite.rig.gate.hold()
            // Paused before it begins: a running upload may still finish a part.
            var upload = try Upload(.url(try suite.file("a", bytes: 100_000)), to: "archive:paused")
            upload.notBefore = Date(timeIntervalSinceNow: 2)
            let handle = try await manager.start(upload)
            try await handle.pause()
            try await eventually("it is paused") { if case .paused = handle.latest.status { true } else { false } }
            suite.rig.gate.letGo()
            try await handle.resume()
            _ = try await handle.completion
        },
        Rule("a closed manager refuses, and who waited is let go") { suite in
            let manager = try await suite.open()
            suite.rig.gate.hold()
            let handle = try await manager.upload(try suite.file("a"), to: "archive:a")
            let waiting = Task { try? await handle.completion }
            await manager.close()
            #expect(await waiting.value == nil)
            let error = await #expect(throws: UploadError.self) {
                _ = try await manager.upload(try suite.file("b"), to: "archive:b")
            }
            #expect(error?.code == .interrupted)
            await manager.close()
            suite.rig.gate.letGo()
        },
    ]

    /// The job at the upload's end.
    func job(of id: JobID, _ manager: any UploadManager) async throws -> UploadJob? {
        let delegate = Told()
        try await manager.setDelegate(delegate)
        _ = try await manager.handlePendingEvents()
        try await manager.setDelegate(nil)
        return delegate.outcomes.first { $0.job.id == id }?.job
            ?? UploadJob(
                id: id, source: .inline(Data()), destination: .named(DestinationName(unchecked: "archive"), key: "a"),
                size: 100)
    }
}
