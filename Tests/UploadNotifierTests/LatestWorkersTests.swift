import Foundation
import Hummingbird
import Testing
import Uploads

@testable import UploadNotifier

@Suite struct LatestWorkersTests {
    private let start = Sample.start
    private var latest = LatestWorkers()

    private func report(
        _ worker: String, _ state: WorkerReport.State = .running, used: Int = 0, jobs: [JobID] = [],
        after seconds: TimeInterval = 0
    ) -> WorkerReport {
        WorkerReport(
            worker: worker, host: "h", version: "1", queues: [.standard], state: state, slotsUsed: used, slots: 9,
            jobs: jobs.map { WorkerReport.RunningJob(id: $0, since: start) }, startedAt: start, at: start + seconds)
    }

    @Test mutating func `the latest of each worker is kept, in the order of their names`() {
        latest.note(report("b"), now: start)
        latest.note(report("a", used: 1), now: start)
        latest.note(report("b", used: 2, after: 10), now: start + 10)
        latest.note(report("b", used: 3, after: 5), now: start + 10)
        #expect(latest.all(now: start + 10).map(\.report.worker) == ["a", "b"])
        #expect(latest.all(now: start + 10).map(\.report.slotsUsed) == [1, 2], "what comes late does not count")
        #expect(latest.all(now: start + 10).map(\.heardAt) == [start, start + 10])
    }

    @Test mutating func `a worker that has stopped is gone at once, and a silent one after half a minute`() {
        latest.note(report("a", after: 86_400), now: start)
        latest.note(report("b", after: -86_400), now: start + 10)
        latest.note(report("c"), now: start)
        latest.note(report("c", .stopped, after: 1), now: start + 1)
        #expect(latest.all(now: start + 29).map(\.report.worker) == ["a", "b"])
        #expect(latest.all(now: start + 30).map(\.report.worker) == ["b"])
        latest.note(report("a"), now: start + 31)
        #expect(latest.all(now: start + 31).map(\.report.worker) == ["a", "b"], "its clock was set right")
    }

    @Test mutating func `the worker that reported a job last runs it`() {
        let (job, other) = (JobID(), JobID())
        latest.note(report("a", jobs: [other, job]), now: start)
        #expect(latest.worker(running: job, now: start) == "a")
        latest.note(report("b", jobs: [job]), now: start + 1)
        #expect(latest.worker(running: job, now: start + 1) == "b")
        #expect(latest.worker(running: other, now: start + 1) == "a")
        #expect(latest.worker(running: other, now: start + 30) == nil, "it is silent")
        latest.note(report("b", after: 2), now: start + 2)
        #expect(latest.worker(running: JobID(), now: start + 2) == nil)
    }

    @Test mutating func `there is room for so many and no more`() {
        for number in 0...LatestWorkers.countMaximum { latest.note(report("w\(number)"), now: start) }
        #expect(latest.all(now: start).count == LatestWorkers.countMaximum)
        latest.note(report("w1", used: 7, after: 1), now: start)
        #expect(latest.all(now: start).contains { $0.report.slotsUsed == 7 }, "a known worker is heard")
        latest.note(report("new"), now: start + 31)
        #expect(latest.all(now: start + 31).map(\.report.worker) == ["new"])
    }

    @Test mutating func `a name that is far too long is not believed`() throws {
        let text = String(repeating: "w", count: WorkerReport.textBytesMaximum + 1)
        var long = report("w")
        long.worker = text
        latest.note(long, now: start)
        #expect(latest.all(now: start).isEmpty)
    }

    @Test func `the API lists the workers`() async throws {
        let house = try await APIHouse()
        house.progress.note(WorkerNews(workers: [report("b", .draining, used: 2), report("a")]))
        try await house.with { client in
            let list = try await client.ask(.get, "/v1/workers").text
            #expect(list.contains(#""name":"a""#) && list.contains(#""state":"draining""#))
            #expect(list.contains(#""slotsUsed":2"#) && list.contains(#""queues":["default"]"#))
        }
    }

    @Test func `the API drains and resumes a worker that has reported itself`() async throws {
        let house = try await APIHouse()
        house.progress.note(WorkerNews(workers: [report("host/1-a")]))
        try await house.with { client in
            let answer = try await client.ask(.post, "/v1/workers/host%2F1-a/drain")
            #expect(answer.status == 200)
            #expect(try answer.json["matched"] as? Int == 1 && answer.json["done"] as? Int == 1)
            #expect(house.operations.orders.map(\.command) == [.drainWorkers(["host/1-a"])])
            #expect(try await house.operations.controlView().drainedWorkers.names == ["host/1-a"])
            #expect(try await client.ask(.post, "/v1/workers/host%2F1-a/resume").status == 200)
            #expect(try await house.operations.controlView().drainedWorkers.names.isEmpty)
            for path in ["/v1/workers/host/drain", "/v1/workers/host%2F1-b/resume"] {
                let unknown = try await client.ask(.post, path)
                #expect(unknown.status == 404 && unknown.problem == "not-found", "\(path)")
            }
            let long = String(repeating: "w", count: WorkerReport.textBytesMaximum + 1)
            for name in ["%FF", long] {
                let invalid = try await client.ask(.post, "/v1/workers/\(name)/drain")
                #expect(invalid.status == 400 && invalid.problem == "invalid-request", "\(name)")
            }
            #expect(house.operations.orders.count == 2)
        }
    }

    @Test func `a drained worker that has fallen silent can be resumed`() async throws {
        let house = try await APIHouse()
        house.progress.note(WorkerNews(workers: [report("a")]))
        try await house.with { client in
            let drained = try await client.ask(.post, "/v1/workers/a/drain")
            #expect(drained.status == 200)
            house.progress.note(WorkerNews(workers: [report("a", .stopped, after: 1)]))
            #expect(try await client.ask(.get, "/v1/workers").text.contains(#""workers":[]"#))
            #expect(try await client.ask(.post, "/v1/workers/a/resume").status == 200)
            #expect(try await client.ask(.post, "/v1/workers/a/resume").status == 404)
        }
    }
}
