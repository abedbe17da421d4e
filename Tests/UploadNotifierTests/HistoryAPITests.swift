import Foundation
import Hummingbird
import HummingbirdTesting
import Testing
import Uploads

@testable import UploadNotifier

@Suite(.timeLimit(.minutes(10))) struct HistoryAPITests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000 + 1234)
    private static let clock = NotifierClock(now: { now }, sleep: { _ in throw CancellationError() })

    @Test(arguments: [("hour", 60, 60), ("day", 600, 144), ("week", 3600, 168), ("month", 21_600, 120)])
    func `a history has a part for each step of its period, up to now`(
        period: String, seconds: Int, count: Int
    ) async throws {
        let house = try await APIHouse(clock: Self.clock)
        let jobs = (0..<3).map { Sample.job(key: "\($0)") }
        let times = [Self.now, Self.now - 1, Self.now - Double(seconds) * 2]
        try await house.record(
            zip(jobs, times).map { job, time in
                .event(UploadEvent(kind: job == jobs[1] ? .failed : .completed, of: Baton(job: job), at: time))
            })
        try await house.with { client in
            let history = try await client.ask(.get, "/v1/history?period=\(period)&queue=default").json
            #expect(history["period"] as? String == period && history["bucketSeconds"] as? Int == seconds)
            let buckets = try #require(history["buckets"] as? [[String: Any]])
            let starts = try buckets.map { try #require(WireJSON.date($0["start"] as? String ?? "")) }
            #expect(buckets.count == count)
            #expect(zip(starts, starts.dropFirst()).allSatisfy { $1.timeIntervalSince($0) == Double(seconds) })
            #expect(starts[count - 1] <= Self.now && starts[count - 1] + Double(seconds) > Self.now)
            #expect(WireJSON.date(history["from"] as? String ?? "") == starts[0])
            #expect(WireJSON.date(history["until"] as? String ?? "") == starts[count - 1] + Double(seconds))
            func sum(_ name: String) -> Int { buckets.compactMap { $0[name] as? Int }.reduce(0, +) }
            #expect(sum("completed") == 2 && sum("failed") == 1 && sum("cancelled") == 0)
            #expect(buckets[count - 1]["completed"] as? Int == 1)
            #expect(buckets[count - 3]["completed"] as? Int == 1)
            #expect(Int64(sum("bytes")) == jobs[0].size + jobs[2].size)
            let other = try await client.ask(.get, "/v1/history?period=\(period)&queue=other").json
            #expect((other["buckets"] as? [[String: Any]])?.allSatisfy { $0["completed"] as? Int == 0 } == true)
        }
    }

    @Test func `a history is of a day unless it says otherwise, and of no other time`() async throws {
        let house = try await APIHouse(clock: Self.clock)
        try await house.with { client in
            let history = try await client.ask(.get, "/v1/history").json
            #expect(history["period"] as? String == "day")
            for query in ["period=year", "period=hour,day", "queue=A", "from=0"] {
                let reply = try await client.ask(.get, "/v1/history?\(query)")
                #expect(reply.status == 400, "\(query)")
            }
        }
    }
}
