import Foundation
import Hummingbird
import Synchronization
import Testing
import UploadTesting
import Uploads

@testable import UploadNotifier

@Suite(.timeLimit(.minutes(10))) struct DestinationAPITests {
    private func photos(_ house: APIHouse) async throws -> [String: Any] {
        let text = Mutex("")
        try await house.with { client in
            let answer = try await client.ask(.get, "/v1/destinations").text
            text.withLock { $0 = answer }
        }
        let list = try JSONSerialization.jsonObject(with: Data(text.withLock { $0 }.utf8)) as? [String: Any]
        return try #require((list?["destinations"] as? [[String: Any]])?.first { $0["name"] as? String == "photos" })
    }

    private func report(
        _ worker: String, _ circuit: DestinationReport.CircuitState, jobs: Int = 0, rate: Double = 0,
        isHeld: Bool = false
    ) -> DestinationReport {
        DestinationReport(
            worker: worker, destination: "photos", circuit: circuit, until: circuit == .open ? Sample.start + 60 : nil,
            jobsInFlight: jobs, jobsAtOnce: jobs, partsInFlight: jobs * 2, limits: TransferLimits(jobs: 4),
            pace: DestinationReport.Pace(bytesPerSecond: rate, isHeld: isHeld), at: Date())
    }

    @Test func `destinations show each worker's report, and the sum of all`() async throws {
        let house = try await APIHouse()
        let silent = try await photos(house)
        #expect(silent["live"] == nil && (silent["workers"] as? [Any])?.isEmpty == true)
        house.progress.note(
            WorkerNews(destinations: [
                report("b", .open, isHeld: true), report("a", .closed, jobs: 3, rate: 100),
                report("c", .closed, jobs: 1, rate: 11),
            ]))
        let shown = try await photos(house)
        let live = try #require(shown["live"] as? [String: Any])
        #expect(live["workers"] as? Int == 3 && live["failing"] as? Int == 1 && live["held"] as? Int == 1)
        #expect(live["jobsInFlight"] as? Int == 4 && live["partsInFlight"] as? Int == 8)
        #expect(live["jobsAtOnce"] as? Int == 4)
        #expect(live["bytesPerSecond"] as? Double == 111)
        let workers = try #require(shown["workers"] as? [[String: Any]])
        #expect(workers.map { $0["name"] as? String } == ["a", "b", "c"])
        #expect(workers.map { ($0["circuit"] as? [String: Any])?["state"] as? String } == ["closed", "open", "closed"])
        #expect(workers.allSatisfy { ($0["limits"] as? [String: Int]) == ["jobs": 4] })
        let circuit = try #require(shown["circuit"] as? [String: Any])
        #expect(circuit["state"] as? String == "open" && circuit["until"] != nil)
        house.progress.note(WorkerNews(destinations: [report("b", .halfOpen)]))
        #expect((try await photos(house)["circuit"] as? [String: Any])?["state"] as? String == "halfOpen")
        house.progress.note(WorkerNews(destinations: [report("b", .closed)]))
        #expect((try await photos(house)["circuit"] as? [String: Any])?["state"] as? String == "closed")
    }

    @Test func `reports of workers go before the reasons of waiting jobs`() async throws {
        let house = try await APIHouse()
        var job = Sample.job()
        job.destination = .named(DestinationName(unchecked: "photos"), key: "a")
        var event = UploadEvent(kind: .waiting, of: Baton(job: job), at: Sample.start)
        event.data.reason = "circuitOpen"
        event.data.waitingUntil = Sample.start.addingTimeInterval(60)
        try await house.record([.job(job, maybeRepeated: false), .event(event)])
        #expect((try await photos(house)["circuit"] as? [String: Any])?["state"] as? String == "open")
        house.progress.note(WorkerNews(destinations: [report("a", .closed)]))
        let circuit = try #require(try await photos(house)["circuit"] as? [String: Any])
        #expect(circuit["state"] as? String == "closed" && circuit["until"] == nil && circuit["error"] == nil)
    }

    @Test func `the dashboard shows circuits and pace as workers report them`() async throws {
        let house = try await APIHouse()
        house.progress.note(
            WorkerNews(destinations: [report("a", .open), report("b", .closed, jobs: 2, rate: 2048, isHeld: true)]))
        try await house.with { client in
            let page = try await client.ask(.get, "/").text
            #expect(page.contains("Circuit open at 1 of 2 workers"))
            #expect(page.contains("2.00 KiB/s of 2 workers") && page.contains("held to its limits"))
        }
    }

    @Test func `impossible numbers are added up without a crash`() async throws {
        let house = try await APIHouse()
        house.progress.note(
            WorkerNews(destinations: [
                report("a", .closed, jobs: .max / 2, rate: 1e300), report("b", .closed, jobs: .max / 2, rate: -5),
                report("c", .closed, jobs: .max / 2, rate: 1e308),
            ]))
        let live = try #require(try await photos(house)["live"] as? [String: Any])
        #expect(live["jobsInFlight"] as? Int == .max)
        try await house.with { client in
            let status = try await client.ask(.get, "/").status
            #expect(status == 200)
        }
    }
}
