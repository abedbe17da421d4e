import Foundation
import RabbitMQ
import Testing
import Uploads

@testable import UploadsRabbitMQ

/// Jobs that wait for hours do not hold up jobs that wait for seconds.
@Suite(.timeLimit(.minutes(20))) struct WaitingJobsTests {
    /// How many jobs wait: `LONGSHORE_WAITING_JOBS`, 20,000 by default, so that a debug build is done in seconds.
    private static let count = Int(ProcessInfo.processInfo.environment["LONGSHORE_WAITING_JOBS"] ?? "") ?? 20_000
    private static let publisherCount = 250
    private static let soonCount = 60

    @Test func `behind many thousand waiting jobs, a wait of seconds is never early`() async throws {
        try await Rig.run { rig in
            let clock = ContinuousClock()
            let begun = clock.now
            try await fill(rig)
            print("\(Self.count) jobs put to wait in \(clock.now - begun)")
            let consumer = try await rig.channel.consume(rig.topology.laneQueue(.standard, .normal), prefetch: 100)
            var published: [Int: ContinuousClock.Instant] = [:]
            for number in 1...Self.soonCount {
                published[number] = clock.now
                try await put(rig, Samples.baton(slice: number), seconds: Double(number % 3 + 1))
            }
            var lateness: [Duration] = []
            var batches = consumer.makeAsyncIterator()
            while lateness.count < Self.soonCount, let batch = try await batches.next() {
                let now = clock.now
                for delivery in batch {
                    consumer.acknowledge(delivery)
                    guard case .baton(let baton) = WireFormat.read(delivery.message), baton.slice > 0 else {
                        Issue.record("a job that was to wait for hours came back")
                        continue
                    }
                    let due = try #require(published[baton.slice]) + .seconds(baton.slice % 3 + 1)
                    #expect(now >= due, "early by \(due - now)")
                    lateness.append(now - due)
                }
            }
            lateness.sort()
            #expect(lateness.count == Self.soonCount)
            let (median, worst) = (lateness[lateness.count / 2], lateness[lateness.count - 1])
            print("waits of 1 to 3 s behind \(Self.count) jobs: \(median) late in the median, at most \(worst)")
            await consumer.cancel()
            // They wait, and only on the ladder.
            #expect(try await rig.waiting(.normal) == 0)
            var waiting = 0
            for level in 0..<UploadTopology.levelCount {
                waiting += Int(try await rig.channel.messageCount(of: rig.topology.delayLevel(level)))
            }
            #expect(waiting == Self.count)
        }
    }

    private func fill(_ rig: Rig) async throws {
        let baton = Samples.baton(slice: 0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for publisher in 0..<Self.publisherCount {
                group.addTask {
                    for number in stride(from: publisher, to: Self.count, by: Self.publisherCount) {
                        // From 2 hours to 30 days.
                        let seconds = 7200 + Double(number) * (30 * 86_400 - 7200) / Double(Self.count)
                        try await put(rig, baton, seconds: seconds)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    private func put(_ rig: Rig, _ baton: Baton, seconds: TimeInterval) async throws {
        try await rig.channel.publish(
            try WireFormat.message(baton: baton), to: rig.topology.ladderTop,
            routingKey: rig.topology.delayKey(seconds: seconds, .standard, .normal, JobID()))
    }
}
