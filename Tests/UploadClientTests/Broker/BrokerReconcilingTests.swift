import Foundation
import Testing
import UploadTesting
import Uploads

@testable import UploadClient

@Suite("A manager over the broker after a program that died", .timeLimit(.minutes(10))) struct BrokerReconcilingTests {
    @Test func `an upload that it may have published is in the outbox when the manager is open`() async throws {
        let scratch = try TemporaryDirectory("reconciling")
        let identifier = UploadIdentifier(unchecked: "app")
        let died = try await DeadPrograms(identifier, in: scratch.path("staging"))
        let job = try await died.stagedJob(to: "archive:a", Array(repeating: 7, count: 40_000))
        try await died.leave(job)
        // Bytes inside the message are only at the broker, if they arrived.
        try await died.leave(try died.inlineJob(to: "archive:b"))
        // A copy that an upload at the broker may need stays.
        let signed = try await died.stagedJob(
            to: "https://host.example/a?signature=1", Array(repeating: 7, count: 40_000))
        try await died.leave(signed)
        // No broker listens there.
        let manager = try await BrokerUploadManager(
            identifier, broker: BrokerAccess("amqp://guest:guest@127.0.0.1:1/"), staging: scratch.file("staging"))
        #expect(try scratch.names(in: "staging/outbox") == ["\(job.id).json"])
        #expect(try await manager.uploads().map(\.id) == [job.id])
        #expect(try await died.store.startingUploads().isEmpty)
        #expect(try died.copies.count == 2)
        await manager.close()
    }
}
