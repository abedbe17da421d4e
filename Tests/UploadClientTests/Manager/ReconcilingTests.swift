import Foundation
import Logging
import Testing
import UploadSources
import UploadTesting
import Uploads

@testable import UploadClient

@Suite("Opening after a program that died", .timeLimit(.minutes(10))) struct ReconcilingTests {
    private let scratch: TemporaryDirectory
    private let identifier = UploadIdentifier(unchecked: "app")

    init() throws { scratch = try TemporaryDirectory("reconciling") }

    private func died() async throws -> DeadPrograms {
        try await DeadPrograms(identifier, in: scratch.path("staging"))
    }

    private func with(_ test: (ManagerCore, RecordingBackend) async throws -> Void) async throws {
        try await withRecordingCore(identifier, in: scratch.path("staging"), test)
    }

    @Test func `an upload that it was starting is accepted, and its handle ends`() async throws {
        let died = try await died()
        let job = try await died.stagedJob(to: "archive:a", Array(repeating: 7, count: 40_000))
        try await died.leave(job)
        try await with { core, backend in
            #expect(backend.jobs.map(\.id) == [job.id])
            let starting = try await died.store.startingUploads()
            #expect(starting.isEmpty)
            let handle = try #require(try await core.handle(for: job.id))
            try await backend.end(job.id, with: .completed(StoredObject(location: "a"), response: nil))
            _ = try await handle.completion
            let uploads = try await core.uploads()
            #expect(uploads.isEmpty)
            let programs = try died.programs
            #expect(programs == [core.lock.token])
        }
    }

    @Test func `an upload whose bytes died with it is removed`() async throws {
        let died = try await died()
        try await died.leave(try died.inlineJob(to: "archive:a"))
        try await with { core, backend in
            #expect(backend.jobs.isEmpty)
            let uploads = try await core.uploads()
            #expect(uploads.isEmpty)
        }
    }

    @Test func `a cut order is removed with its copy`() async throws {
        let died = try await died()
        try await died.leave(
            try await died.stagedJob(to: "https://host.example/a?signature=1", Array(repeating: 7, count: 40_000)))
        #expect(try died.copies.count == 1)
        try await with { core, _ in
            let uploads = try await core.uploads()
            #expect(uploads.isEmpty)
            let copies = try died.copies
            #expect(copies.isEmpty)
        }
    }

    @Test func `an upload that ended is not accepted again`() async throws {
        let died = try await died()
        let job = try await died.stagedJob(to: "archive:a", Array(repeating: 7, count: 40_000))
        try await died.leave(job)
        _ = try await died.store.end(with: UploadEvent(kind: .completed, of: Baton(job: job), at: Date()))
        // The state after a power failure that undid the removal of the record.
        try await died.leave(job)
        try await with { core, backend in
            #expect(backend.jobs.isEmpty)
            let uploads = try await core.uploads()
            #expect(uploads.isEmpty)
        }
    }

    @Test func `what a program that lives is starting is left to it`() async throws {
        let died = try await died()
        let living = try await died.store.lock()
        let job = try await died.stagedJob(to: "archive:a", Array(repeating: 7, count: 40_000))
        await living.add(ProgramCopy(name: "\(JobID())", keyed: nil))
        try await died.leave(job, by: living.token)
        try await with { core, backend in
            #expect(backend.jobs.isEmpty)
            let uploads = try await core.uploads()
            #expect(uploads.map(\.id) == [job.id])
            living.release()
            // An open manager cleans up as well.
            try await eventually("it is accepted") { backend.jobs.map(\.id) == [job.id] }
        }
    }

    @Test func `copies that no upload and no key names are removed, unfinished ones too`() async throws {
        let died = try await died()
        let bytes: [UInt8] = Array(repeating: 7, count: 40_000)
        func name(_ job: UploadJob) throws -> String {
            guard case .staged(_, let name) = job.source else { throw DidNotHappen("a copy") }
            return name
        }
        let kept = try await died.stagedJob(to: "archive:kept", bytes)
        var keyed = try await died.stagedJob(to: "archive:keyed", bytes)
        keyed.idempotencyKey = "a"
        _ = try await died.area.registered(keyed)
        let lost = try await died.stagedJob(to: "archive:lost", bytes)
        let partial = JobID()
        for file in [".\(partial).partial", "\(partial).blocks"] { try scratch.write([1], to: "staging/\(file)") }
        let token = try await died.program(staging: [
            ProgramCopy(name: try name(kept), keyed: nil), ProgramCopy(name: try name(keyed), keyed: keyed.id),
            ProgramCopy(name: try name(lost), keyed: JobID()), ProgramCopy(name: partial.rawValue, keyed: nil),
        ])
        try await died.leave(kept, by: token)
        try await with { _, _ in
            let left = Set(try died.copies.map { String($0.prefix(36)) })
            let needed = [try name(kept), try name(keyed)]
            #expect(left == Set(needed))
        }
    }

    @Test func `what this program is staging is noted until a record names it`() async throws {
        let died = try await died()
        let (chunks, input) = AsyncStream<[UInt8]>.makeStream()
        try await with { core, backend in
            let bytes = AsyncThrowingStream<[UInt8], any Error> { output in
                Task {
                    for await chunk in chunks { output.yield(chunk) }
                    output.finish()
                }
            }
            let starting = Task { try await core.start(try Upload(.bytes(bytes), to: "archive:a")) }
            let program = "staging/clients/app/programs/\(core.lock.token)"
            func noted() -> [ProgramCopy] {
                String(decoding: scratch.read(program) ?? [], as: UTF8.self).split(separator: "\n")
                    .compactMap(ProgramCopy.init)
            }
            input.yield(Array(repeating: 7, count: 40_000))
            try await eventually("a copy is made") { try died.copies.count == 1 }
            let copy = try #require(noted().first)
            let copies = try died.copies
            #expect(copies == [".\(copy.name).partial"])
            input.finish()
            _ = try await starting.value
            #expect(noted().isEmpty)
        }
    }

    @Test func `two calls with one key give two handles of one upload, and both end`() async throws {
        try await with { core, backend in
            var upload = try Upload(.data(Data([1])), to: "archive:a")
            upload.idempotencyKey = "a"
            let wanted = upload
            async let one = core.start(wanted)
            async let other = core.start(wanted)
            let handles = try await [one, other]
            #expect(handles[0].id == handles[1].id)
            try await backend.end(handles[0].id, with: .completed(StoredObject(location: "a"), response: nil))
            for handle in handles { _ = try await handle.completion }
        }
    }

    @Test func `a key that a program used when it died is used again`() async throws {
        let died = try await died()
        var upload = try Upload(.data(Data([1])), to: "archive:a")
        upload.idempotencyKey = "a"
        let wanted = upload
        try await with { core, backend in
            // A program dies while this manager is open, with the upload half started.
            var job = try died.inlineJob(to: "archive:a")
            job.idempotencyKey = "a"
            job.id = try #require(Preparation.keyedID(of: wanted, namespace: backend.namespace))
            try await died.leave(job)
            let handle = try await core.start(wanted)
            #expect(handle.id == job.id && backend.jobs.map(\.id) == [job.id])
            try await backend.end(job.id, with: .completed(StoredObject(location: "a"), response: nil))
            _ = try await handle.completion
        }
    }
}
