import Foundation
import Testing
import UploadClient
import UploadEmbedded
import UploadTesting
import Uploads

@testable import UploadClientTesting

@Suite("Embedded managers of one directory", .timeLimit(.minutes(10))) struct EmbeddedSharingTests {
    private let bench: EmbeddedBench
    private let log = MemoryLog()

    init() throws { bench = try EmbeddedBench() }

    @Test func `what one accepts the other carries, and both see it`() async throws {
        try await bench.with(bench.disk) { first in
            // From here on the first manager runs the queue.
            let own = try await first.start(try Upload(.data(Data("1".utf8)), to: "disk:1.txt"))
            _ = try await own.completion
            try await bench.with(bench.disk) { second in
                var upload = try Upload(.data(Data("2".utf8)), to: "disk:2.txt")
                upload.notBefore = Date() + 1
                let handle = try await second.start(upload)
                let seen = try #require(try await first.handle(for: handle.id))
                #expect(try await first.uploads().map(\.id) == [handle.id])
                async let receipt = handle.completion
                _ = try await seen.completion
                #expect(try await receipt.object.size == 1)
                #expect(bench.scratch.read("stored/2.txt") == Array("2".utf8))
            }
        }
    }

    @Test func `one gives orders to the other`() async throws {
        let door = Door()
        let destination = MemoryDestination(partSize: 16_384, log: log) { _, part, _ throws(UploadError) in
            if part.number > 2 { await door.wait() }
        }
        try await bench.with(destination, EmbeddedConfiguration(parts: 1)) { first in
            let handle = try await first.start(
                try Upload(.data(Data(EmbeddedBench.bytes(100_000))), to: "memory:a"))
            try await eventually("it runs") { log.counts.accepted[handle.id]?.count == 2 }
            try await bench.with(destination) { second in
                try await second.order(.pause, handle.id)
                try await eventually("the first has obeyed") { try bench.ordered().isEmpty }
                door.open()
                try await eventually("it is paused") { handle.latest.status.isPaused }
                try await second.order(.resume, handle.id)
                _ = try await handle.completion
                await #expect(throws: UploadError.self) { try await second.order(.pause, handle.id) }
            }
        }
    }

    @Test func `another takes over when the one that runs the queue goes away`() async throws {
        let first = try await bench.manager(bench.disk)
        _ = try await first.start(try Upload(.data(Data("1".utf8)), to: "disk:1.txt")).completion
        try await bench.with(bench.disk) { second in
            await first.close()
            let handle = try await second.start(try Upload(.data(Data("2".utf8)), to: "disk:2.txt"))
            _ = try await handle.completion
            #expect(bench.scratch.read("stored/2.txt") == Array("2".utf8))
        }
        await #expect(throws: UploadError.self) { try await first.start(try Upload(.data(Data()), to: "disk:3.txt")) }
    }

    @Test func `what a program died over while it copied goes when any program opens the directory`() async throws {
        try await bench.with(bench.disk) { _ in }
        let before = Set(try bench.scratch.names(in: "state"))
        let half = UUID().uuidString.lowercased()
        for name in [".\(half).partial", "\(half).blocks", "\(UUID().uuidString.lowercased()).blocks"] {
            try bench.scratch.write([1, 2, 3], to: "state/\(name)")
        }
        let other = try await EmbeddedUploadManager(
            UploadIdentifier("other"), directory: bench.state, destinations: bench.disk)
        #expect(try Set(bench.scratch.names(in: "state")) == before)
        await other.close()
    }

    @Test func `programs with different identifiers do not meet`() async throws {
        try await bench.with(bench.disk) { first in
            let other = try await EmbeddedUploadManager(
                UploadIdentifier("other"), directory: bench.state, destinations: bench.disk)
            let told = Told()
            try await first.setDelegate(told)
            let handle = try await other.start(try Upload(.data(Data("1".utf8)), to: "disk:1.txt"))
            _ = try await handle.completion
            #expect(try await first.handle(for: handle.id) == nil)
            #expect(try await first.handlePendingEvents() == 0)
            await other.close()
            #expect(told.outcomes.isEmpty)
        }
    }
}
