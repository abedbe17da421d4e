import Foundation
import Hummingbird
import Testing
import Uploads

@testable import UploadNotifier

@Suite struct QueuePacesTests {
    private let time = ManualClock()
    private let jobs = (0..<10).map { Sample.job(key: "\($0)") }

    @Test func `the API tells the pace as it was observed, and no time left of a stopped queue`() async throws {
        let house = try await APIHouse(clock: time.clock)
        try await house.record(jobs.map { .job($0, maybeRepeated: false) })
        try await house.api.paces.observe()
        try await house.with { client in
            let queue = try await client.ask(.get, "/v1/queues/default").json
            #expect(queue["secondsLeft"] is NSNull && queue["completedPerMinute"] as? Double == 0)
        }
        time.advance(to: Sample.start + 5)
        try await house.record(jobs.prefix(4).map { Sample.event(.completed, $0) })
        try await house.api.paces.observe()
        let bytes = Double(jobs[0].size * 4)
        try await house.with { client in
            let queue = try await client.ask(.get, "/v1/queues/default").json
            #expect(queue["completedPerMinute"] as? Double == 4)
            #expect(queue["bytesPerSecond"] as? Double == bytes / 15)
            #expect((queue["secondsLeft"] as? Double).map { abs($0 - 7.5) < 0.01 } == true, "six more")
            #expect(try await client.ask(.get, "/").text.contains("/min"))
            _ = try await client.ask(.post, "/v1/queues/default/stop")
            #expect(try await client.ask(.get, "/v1/queues/default").json["secondsLeft"] is NSNull)
        }
    }

    @Test func `it observes until it is stopped`() async throws {
        let house = try await APIHouse(clock: time.clock)
        let paces = house.api.paces
        try await house.record(jobs.map { .job($0, maybeRepeated: false) })
        let running = Task { try await paces.run() }
        try await until { time.sleeperCount == 1 }
        try await house.record(jobs.map { Sample.event(.completed, $0) })
        time.advance(to: try #require(time.nextAlarm))
        try await until { paces.pace(of: .standard).completedPerMinute == 10 }
        running.cancel()
        try await running.value
    }
}
