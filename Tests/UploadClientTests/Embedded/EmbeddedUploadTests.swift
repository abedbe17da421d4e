import Foundation
import Synchronization
import Testing
import UploadClient
import UploadEmbedded
import UploadTesting
import Uploads

@testable import UploadClientTesting

@Suite("An embedded manager", .timeLimit(.minutes(10))) struct EmbeddedUploadTests {
    private let bench: EmbeddedBench
    private let log = MemoryLog()

    init() throws { bench = try EmbeddedBench() }

    /// A destination with parts of 16 KiB, each of which passes the hook.
    private func memory(_ hook: @escaping MemoryDestination.PartHook) -> MemoryDestination {
        MemoryDestination(partSize: 16_384, log: log, part: hook)
    }

    private let content = UploadContent.data(Data(EmbeddedBench.bytes(100_000)))

    @Test func `uploads a file to a directory, and leaves nothing behind`() async throws {
        let bytes = EmbeddedBench.bytes(20 << 20)
        let file = try bench.scratch.write(bytes, to: "movie.mp4")
        let told = Told()
        try await bench.with(bench.disk) { manager in
            try await manager.setDelegate(told)
            let handle = try await manager.upload(URL(filePath: file), to: "disk:films/movie.mp4")
            try FileManager.default.removeItem(atPath: file)
            let receipt = try await handle.completion
            #expect(receipt.object.size == Int64(bytes.count))
            #expect(bench.scratch.read("stored/films/movie.mp4") == bytes)
            try await eventually("the delegate is told") { told.outcomes.count == 1 }
            #expect(told.outcomes.first?.id == "\(handle.id).1.ended")
            #expect(told.outcomes.first?.job.contentType == "video/mp4")
            try await eventually("nothing is left") { try bench.queued().isEmpty && bench.copies().isEmpty }
            #expect(try await manager.uploads().isEmpty)
        }
    }

    @Test func `downloads an object, whose size it learns when it has looked`() async throws {
        let bytes = EmbeddedBench.bytes(5 << 20)
        _ = try bench.scratch.write(bytes, to: "stored/movie.mp4")
        let target = bench.scratch.file("fetched.mp4").absoluteString
        try await bench.with(bench.disk) { manager in
            let object = try DestinationReference("disk:movie.mp4")
            let handle = try await manager.start(try Upload(.object(object), to: target))
            let receipt = try await handle.completion
            #expect(receipt.object.size == Int64(bytes.count))
            #expect(handle.latest.bytesTotal == Int64(bytes.count) && handle.latest.fractionDone == 1)
            #expect(bench.scratch.read("fetched.mp4") == bytes)
            #expect(try bench.copies().isEmpty)
            let missing = try await manager.start(
                try Upload(.object(try DestinationReference("disk:missing")), to: target + ".no"))
            let failure = await #expect(throws: UploadFailure.self) { _ = try await missing.completion }
            #expect(failure?.reason == .invalidFile, "\(String(describing: failure))")
        }
    }

    @Test func `uploads small content to a file URL, however many there are`() async throws {
        try await bench.with(bench.disk) { manager in
            var handles: [UploadHandle] = []
            for number in 0..<40 {
                let target = bench.scratch.file("stored/\(number).txt").absoluteString
                handles.append(try await manager.start(try Upload(.data(Data("\(number)".utf8)), to: target)))
            }
            for handle in handles { _ = try await handle.completion }
            for number in 0..<40 { #expect(bench.scratch.read("stored/\(number).txt") == Array("\(number)".utf8)) }
        }
    }

    @Test func `tries again after a failure, and says meanwhile what it waits for`() async throws {
        let fails = Mutex(true)
        let destination = memory { _, _, _ throws(UploadError) in
            if fails.withLock({ $0 }) {
                throw UploadError(.serverFailure, "busy", retry: .after(seconds: 2))
            }
        }
        try await bench.with(destination) { manager in
            let handle = try await manager.start(try Upload(content, to: "memory:a"))
            try await eventually("it waits") { handle.latest.status.isWaiting }
            fails.withLock { $0 = false }
            _ = try await handle.completion
            #expect(destination.objectCount == 1)
        }
    }

    @Test func `a failed upload is kept, and another round goes on where it stopped`() async throws {
        let fails = Mutex(true)
        let destination = memory { _, part, _ throws(UploadError) in
            if part.number == 7, fails.withLock({ $0 }) { throw UploadError(.accessDenied, "no") }
        }
        let told = Told()
        var failure: UploadFailure?
        try await bench.with(destination) { manager in
            let handle = try await manager.start(try Upload(content, to: "memory:a"))
            failure = await #expect(throws: UploadFailure.self) { _ = try await handle.completion }
            #expect(failure?.reason == .accessDenied)
        }
        fails.withLock { $0 = false }
        let state = try #require(failure?.state)
        try await bench.with(destination) { manager in
            try await manager.setDelegate(told)
            let handle = try await manager.resume(with: state)
            _ = try await handle.completion
            let accepted = log.counts.accepted[handle.id] ?? []
            #expect(accepted.sorted() == Array(1...7))
            // The waiting task took the first round's outcome.
            try await eventually("the round is told") { !told.outcomes.isEmpty }
            #expect(told.outcomes.map(\.round) == [2])
            await #expect(throws: UploadError.self) { _ = try await manager.resume(with: state) }
        }
    }

    @Test func `a failed upload that is not resumed is removed when its time is over`() async throws {
        let destination = memory { _, _, _ throws(UploadError) in throw UploadError(.accessDenied, "no") }
        let configuration = EmbeddedConfiguration(keepFailed: .zero)
        try await bench.with(destination, configuration) { manager in
            let handle = try await manager.start(try Upload(content, to: "memory:a"))
            await #expect(throws: UploadFailure.self) { _ = try await handle.completion }
            try await eventually("nothing is left") { try bench.queued().isEmpty && bench.copies().isEmpty }
        }
    }

    @Test func `pauses a running upload at a part, and resumes it`() async throws {
        let door = Door()
        let destination = memory { _, part, _ throws(UploadError) in if part.number > 2 { await door.wait() } }
        try await bench.with(destination, EmbeddedConfiguration(parts: 1)) { manager in
            let handle = try await manager.start(try Upload(content, to: "memory:a"))
            try await eventually("two parts are there") { log.counts.accepted[handle.id]?.count == 2 }
            try await handle.pause()
            door.open()
            try await eventually("it is paused") { handle.latest.status.isPaused }
            #expect(destination.objectCount == 0)
            try await handle.resume()
            _ = try await handle.completion
            #expect(log.counts.accepted[handle.id]?.sorted() == Array(1...7))
            await #expect(throws: UploadError.self) { try await handle.pause() }
        }
    }

    @Test(arguments: [1_000, 100_000])
    func `cancels a running upload and removes what was half there`(_ size: Int) async throws {
        let door = Door()
        let destination = MemoryDestination(partSize: Int64(size / 5), log: log) { _, part, _ throws(UploadError) in
            if part.number > 2 { await door.wait() }
        }
        let told = Told()
        try await bench.with(destination, EmbeddedConfiguration(parts: 1)) { manager in
            try await manager.setDelegate(told)
            let handle = try await manager.start(
                try Upload(.data(Data(EmbeddedBench.bytes(size))), to: "memory:a"))
            try await eventually("two parts are there") { log.counts.accepted[handle.id]?.count == 2 }
            try await handle.cancel()
            let failure = await #expect(throws: UploadFailure.self) { _ = try await handle.completion }
            #expect(failure?.reason == .cancelled)
            #expect(destination.objectCount == 0 && destination.sessionCount == 0)
            try await eventually("it is told") { told.outcomes.count == 1 }
            try await eventually("nothing is left") { try bench.queued().isEmpty && bench.copies().isEmpty }
        }
    }

    @Test func `runs first what is to run now`() async throws {
        let door = Door()
        let order = Mutex<[String]>([])
        let destination = memory { job, part, _ throws(UploadError) in
            if part.number == 1 { order.withLock { $0.append(job.destination.displayText) } }
            await door.wait()
        }
        let asked = AskedDestinations(inner: destination)
        try await bench.with(asked, EmbeddedConfiguration(concurrency: 1)) { manager in
            var handles: [UploadHandle] = []
            for key in ["a", "b", "c", "d", "e", "f"] {
                handles.append(try await manager.start(try Upload(.data(Data("x".utf8)), to: "memory:\(key)")))
            }
            try await eventually("the first runs") { order.withLock { $0 } == ["memory:a"] }
            // The worker asks twice for an upload's destination before the upload waits for its turn.
            try await eventually("the last waits for its turn") { asked.count(of: "memory:f") >= 2 }
            let before = asked.count(of: "memory:f")
            try await handles[5].runNow()
            try await eventually("it waits ahead of all others") { asked.count(of: "memory:f") >= before + 2 }
            door.open()
            for handle in handles { _ = try await handle.completion }
            let place = try #require(order.withLock { $0.firstIndex(of: "memory:f") })
            // The lanes share the slots: an upload of another lane may have its turn before.
            #expect((1...2).contains(place), "\(order.withLock { $0 })")
        }
    }

    @Test func `goes on after a restart, and sends no part twice`() async throws {
        let door = Door()
        let destination = memory { _, part, _ throws(UploadError) in if part.number > 4 { await door.wait() } }
        var id: JobID?
        try await bench.with(destination, EmbeddedConfiguration(parts: 1, grace: .seconds(1))) { manager in
            let handle = try await manager.start(try Upload(content, to: "memory:a"))
            id = handle.id
            try await eventually("four parts are there") { log.counts.accepted[handle.id]?.count == 4 }
        }
        door.open()
        let told = Told()
        try await bench.with(destination) { manager in
            try await manager.setDelegate(told)
            try await eventually("it is told") { told.outcomes.count == 1 }
            #expect(told.outcomes.first?.job.id == id)
            #expect(told.outcomes.first?.isCompleted == true)
            #expect(log.counts.accepted[try #require(id)]?.sorted() == Array(1...7))
        }
    }

    @Test func `an upload that waits for its time is begun then`() async throws {
        try await bench.with(bench.disk) { manager in
            var upload = try Upload(.data(Data("later".utf8)), to: "disk:later.txt")
            upload.notBefore = Date() + 2
            let handle = try await manager.start(upload)
            let receipt = try await handle.completion
            #expect(Date() >= upload.notBefore!)
            #expect(receipt.object.size == 5)
        }
    }

    @Test func `an upload whose time ran out is given up`() async throws {
        try await bench.with(bench.disk) { manager in
            var upload = try Upload(.data(Data("late".utf8)), to: "disk:late.txt")
            upload.expiresAt = Date() - 1
            let handle = try await manager.start(upload)
            let failure = await #expect(throws: UploadFailure.self) { _ = try await handle.completion }
            #expect(failure?.reason == .expired)
            #expect(bench.scratch.read("stored/late.txt") == nil)
        }
    }
}
