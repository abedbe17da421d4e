import Foundation
import Testing
import UploadTesting
import Uploads

@testable import UploadWorkers

@Suite(.timeLimit(.minutes(10))) struct RateLimiterTests {
    let clock = ManualClock()

    /// Moves the clock in steps until the condition holds.
    func advance(by step: Duration, until condition: @Sendable () -> Bool) async throws {
        while !condition() {
            try await eventually { clock.sleeperCount > 0 || condition() }
            clock.advance(by: step)
        }
    }

    @Test func `without a limit no caller waits`() async throws {
        let limiter = RateLimiter(clock: clock) { nil }
        for _ in 0..<1000 { try await limiter.take(1e9) }
        #expect(clock.sleeperCount == 0)
    }

    @Test func `the first caller is served first, at the rate`() async throws {
        let limiter = RateLimiter(clock: clock) { 2 }
        let served = Box<[(number: Int, at: Duration)]>([])
        try await limiter.take(2)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask {
                    try await limiter.take(1)
                    served.change { $0.append((number, clock.now.offset)) }
                }
                try await eventually { limiter.waitingCount == number + 1 }
            }
            try await advance(by: .milliseconds(100)) { served.value.count == 20 }
            try await group.waitForAll()
        }
        #expect(served.value.map(\.number) == Array(0..<20))
        for (index, entry) in served.value.enumerated() {
            #expect(entry.at >= .milliseconds(500 * (index + 1)) - .milliseconds(1))
        }
        #expect(limiter.waitingCount == 0)
        #expect(clock.sleeperCount == 0)
    }

    @Test func `an urgent one goes ahead of those that wait, but not of the same one for ever`() async throws {
        let limiter = RateLimiter(clock: clock) { 1 }
        let served = Box<[Int]>([])
        try await limiter.take(1)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<22 {
                group.addTask {
                    try await limiter.take(1, isUrgent: number > 1)
                    served.change { $0.append(number) }
                }
                try await eventually { limiter.waitingCount == number + 1 }
            }
            try await advance(by: .milliseconds(100)) { served.value.count == 22 }
            try await group.waitForAll()
        }
        let order = served.value
        #expect(order.first == 0, "the first is at the bucket")
        #expect(order.firstIndex(of: 1) == 1 + RateLimiter.passesMaximum)
        #expect(order.filter { $0 > 1 } == Array(2..<22), "urgent ones among themselves keep their order")
    }

    @Test func `a cancelled caller leaves the queue at once and takes nothing`() async throws {
        let limiter = RateLimiter(clock: clock) { 1 }
        try await limiter.take(1)
        let tasks = (0..<3).map { number in
            Task {
                try await limiter.take(1)
                return number
            }
        }
        try await eventually { limiter.waitingCount == 3 && clock.sleeperCount == 1 }
        // Whichever task is at the head, the head and another task leave.
        tasks[0].cancel()
        tasks[1].cancel()
        await #expect(throws: CancellationError.self) { try await tasks[0].value }
        await #expect(throws: CancellationError.self) { try await tasks[1].value }
        try await eventually { limiter.waitingCount == 1 }
        try await advance(by: .milliseconds(100)) { limiter.waitingCount == 0 }
        #expect(try await tasks[2].value == 2)
        #expect(clock.now.offset <= .milliseconds(1500))
        #expect(clock.sleeperCount == 0)
    }

    @Test func `a changed rate reaches callers that wait already`() async throws {
        let rate = Box(0.001)
        let limiter = RateLimiter(clock: clock) { rate.value }
        try await limiter.take(1)
        async let waiting: Void = limiter.take(1)
        try await eventually { clock.sleeperCount == 1 }
        rate.change { $0 = 1000 }
        try await advance(by: .milliseconds(500)) { limiter.waitingCount == 0 }
        try await waiting
        #expect(clock.now.offset <= .seconds(2))
    }

    @Test func `bytes of a source come whole and in order, in pieces that share evenly`() async throws {
        let pace = TransferPace(clock: clock) { TransferLimits(bytesPerSecond: 100) }
        let bytes = (0..<250).map { UInt8($0) }
        let source = PacedSource(
            source: ListSource(buffers: [Array(bytes[..<100]), Array(bytes[100...])]), pace: pace, isUrgent: false)
        let read = Box<[[UInt8]]>([])
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for try await piece in source.read(0..<250) { read.change { $0.append(piece.bytes) } }
            }
            try await advance(by: .milliseconds(50)) { read.value.reduce(0) { $0 + $1.count } == 250 }
            try await group.waitForAll()
        }
        let pieces = read.value
        #expect(pieces.flatMap { $0 } == bytes)
        #expect(pieces.allSatisfy { $0.count <= 25 })
        #expect(clock.now.offset >= .milliseconds(1499))
    }

    @Test func `a file whose bytes have a limit is read by the program`() async throws {
        let rate = Box<Int64?>(nil)
        let pace = TransferPace(clock: clock) { TransferLimits(bytesPerSecond: rate.value) }
        let source = PacedSource(source: ListSource(buffers: []), pace: pace, isUrgent: false)
        #expect(try await source.fileRange(0..<1) != nil)
        rate.change { $0 = 100 }
        #expect(try await source.fileRange(0..<1) == nil)
    }
}

private struct ListSource: UploadSource {
    let buffers: [[UInt8]]

    var size: Int64 { buffers.reduce(0) { $0 + Int64($1.count) } }

    func read(_ range: Range<Int64>) -> any AsyncSequence<any SourceBuffer, any Error> & Sendable {
        AsyncThrowingStream<any SourceBuffer, any Error> { continuation in
            for buffer in buffers { continuation.yield(buffer) }
            continuation.finish()
        }
    }

    func fileRange(_ range: Range<Int64>) -> SourceFileRange? {
        SourceFileRange(range) { () throws(UploadError) in
            0
        } check: {
        }
    }

    func verifyUnchanged() async throws(UploadError) {}

    func close() async {}
}
