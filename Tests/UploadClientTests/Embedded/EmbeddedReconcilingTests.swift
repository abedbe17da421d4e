import Foundation
import Testing
import UploadTesting
import Uploads

@testable import UploadClient
@testable import UploadEmbedded

@Suite("An embedded manager after a program that died", .timeLimit(.minutes(10))) struct EmbeddedReconcilingTests {
    private let bench: EmbeddedBench
    private let bytes = EmbeddedBench.bytes(50_000)

    init() throws { bench = try EmbeddedBench() }

    private func died() async throws -> DeadPrograms {
        try await DeadPrograms(EmbeddedBench.identifier, in: bench.state.path)
    }

    /// The documented start of a program: awaits all uploads that an earlier run has left.
    private func awaitLeft() async throws -> [UploadReceipt] {
        var receipts: [UploadReceipt] = []
        try await bench.with(bench.disk) { manager in
            for upload in try await manager.uploads() {
                if let handle = try await manager.handle(for: upload.id) {
                    receipts.append(try await handle.completion)
                }
            }
            #expect(try await manager.uploads().isEmpty)
        }
        try await eventually("nothing is left") { try bench.queued().isEmpty && bench.copies().isEmpty }
        return receipts
    }

    @Test func `an upload without an entry in the queue is accepted`() async throws {
        let died = try await died()
        try await died.leave(try await died.stagedJob(to: "disk:a", bytes))
        #expect(try await awaitLeft().count == 1)
        #expect(bench.scratch.read("stored/a") == bytes)
    }

    @Test func `an upload with an entry in the queue is awaited`() async throws {
        let died = try await died()
        // Its bytes are in the queue's file, and the client's record lacks them.
        var job = try died.inlineJob(to: "disk:a")
        job.client = "app"
        let files = try await LocalQueueFiles.open(EmbeddedBench.identifier, in: died.area)
        _ = try files.create(LocalJob(job))
        try await died.leave(job)
        #expect(try await awaitLeft().count == 1)
        #expect(bench.scratch.read("stored/a") == [1])
    }

    @Test func `an upload whose bytes died with the program is removed`() async throws {
        let died = try await died()
        try await died.leave(try died.inlineJob(to: "disk:a"))
        #expect(try await awaitLeft().isEmpty)
    }
}
