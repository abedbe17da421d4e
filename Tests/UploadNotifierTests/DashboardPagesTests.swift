import Foundation
import Hummingbird
import HummingbirdTesting
import Testing
import Uploads

@testable import UploadNotifier

/// The pages of the console besides those of jobs.
@Suite(.timeLimit(.minutes(10))) struct DashboardPagesTests {
    private static let form: HTTPFields = [
        .contentType: "application/x-www-form-urlencoded", .origin: "http://localhost",
    ]

    private static func report(
        _ name: String, state: WorkerReport.State = .running, used: Int, jobs: [JobID] = [], at time: Date
    ) -> WorkerReport {
        WorkerReport(
            worker: name, host: "up1", version: "1.2.3", queues: [.standard], state: state, slotsUsed: used, slots: 8,
            jobs: jobs.map { WorkerReport.RunningJob(id: $0, since: time - 120) }, bytesPerSecond: 1_048_576,
            startedAt: time - 3600, at: time)
    }

    @Test func `every page has the navigation with its place, and none has a script or style of its own`() async throws
    {
        let house = try await APIHouse()
        try await house.record([
            .job(Sample.job(), maybeRepeated: false), .unreadable(Data("{".utf8), reason: "no JSON"),
        ])
        try await house.with { client in
            for place in DashboardPlace.allCases {
                let page = try await client.ask(.get, place.path)
                #expect(page.status == 200, "\(place.path)")
                #expect(page.text.contains("<a href=\"\(place.path)\" aria-current=\"page\">\(place.title)</a>"))
                #expect(page.text.ranges(of: "aria-current=\"page\"").count == 1)
                for word in ["style=", "<style", " onclick", "javascript:"] {
                    #expect(!page.text.contains(word), "\(place.path) \(word)")
                }
                #expect(page.text.utf8.count < 100_000 && page.headers[.contentSecurityPolicy] != nil)
            }
            for path in [
                "queues/default", "delegates/hook", "dead-letters/1", "history?period=month", "history?queue=default",
            ] {
                #expect(try await client.ask(.get, "/dashboard/\(path)").status == 200, "\(path)")
            }
            for path in ["queues/none", "delegates/none", "dead-letters/7", "deliveries/7"] {
                #expect(try await client.ask(.get, "/dashboard/\(path)").status == 404, "\(path)")
            }
            #expect(try await client.ask(.get, "/dashboard/history?period=year").status == 400)
        }
    }

    @Test func `a worker is drained and resumed, and its page says how far that is`() async throws {
        let time = ManualClock()
        let progress = LatestProgress(clock: time.clock)
        let house = try await APIHouse(progress: progress, clock: time.clock)
        progress.note(WorkerNews(workers: [Self.report("up1-7-ab", used: 3, at: time.now)]))
        try await house.with { client in
            let page = try await client.ask(.get, "/dashboard/workers").text
            for text in ["up1-7-ab", "3 of 8", "1.00 MiB/s", "1.2.3", "action=\"/dashboard/workers/up1-7-ab/drain\""] {
                #expect(page.contains(text), "\(text)")
            }
            let reply = try await client.ask(.post, "/dashboard/workers/up1-7-ab/drain", headers: Self.form, body: "")
            #expect(reply.headers[.location]?.hasPrefix("/dashboard/workers/up1-7-ab?notice=") == true)
            progress.note(WorkerNews(workers: [Self.report("up1-7-ab", state: .draining, used: 1, at: time.now + 1)]))
            let draining = try await client.ask(.get, "/dashboard/workers").text
            #expect(draining.contains(">Draining</span>") && draining.contains("/workers/up1-7-ab/resume\""))
            progress.note(WorkerNews(workers: [Self.report("up1-7-ab", state: .drained, used: 0, at: time.now + 2)]))
            #expect(try await client.ask(.get, "/dashboard/workers").text.contains(">Drained</span>"))
        }
        #expect(house.operations.orders.map(\.command) == [.drainWorkers(["up1-7-ab"])])
    }

    @Test func `a worker's page has the jobs that it runs, and a job's page its worker and its parts`() async throws {
        let time = ManualClock()
        let progress = LatestProgress(clock: time.clock)
        let house = try await APIHouse(progress: progress, clock: time.clock)
        let job = Sample.job()
        try await house.record([.job(job, maybeRepeated: false)])
        let baton = Baton(job: job)
        try await house.record([.event(UploadEvent(kind: .started, of: baton, at: time.now), body: nil)])
        var event = UploadEvent(kind: .progress, of: baton, at: time.now)
        event.data.bytesDone = 3
        event.data.partBytes = 2
        event.data.bytesPerSecond = 1
        progress.note([event])
        progress.note(
            WorkerNews(workers: [Self.report("up1/7", used: 2, jobs: [job.id, JobID()], at: time.now)]))
        try await house.with { client in
            let page = try await client.ask(.get, "/dashboard/workers/up1%2F7").text
            for text in [
                "up1/<wbr>7", "It runs 2 jobs", "/dashboard/jobs/\(job.id)", "3 B of 5 B", "2 s left",
                "the 1 that began first, of 2", "uploadctl worker drain up1/7",
                "action=\"/dashboard/workers/up1%2F7/drain\"",
            ] { #expect(page.contains(text), "\(text)") }
            let story = try await client.ask(.get, "/dashboard/jobs/\(job.id)").text
            for text in ["/dashboard/workers/up1%2F7\"", "at worker &#39;up1/7&#39;", "1 of 3, 2 B each"] {
                #expect(story.contains(text), "\(text)")
            }
            #expect(try await client.ask(.get, "/dashboard/workers/none").status == 404)
        }
    }

    @Test func `a destination has the errors of the jobs that failed there`() async throws {
        let house = try await APIHouse()
        let job = Sample.job()
        let error = UploadError(.accessDenied, "no right to write there")
        try await house.record([.job(job, maybeRepeated: false)])
        try await house.record([
            .event(UploadEvent(outcome: .failed(error, state: nil), of: Baton(job: job), at: Sample.start), body: nil)
        ])
        try await house.with { client in
            let page = try await client.ask(.get, "/dashboard/destinations").text
            for text in [
                "accessDenied", "no right to write there", "/dashboard/jobs/\(job.id)\">the last one", "1 job<",
            ] {
                #expect(page.contains(text), "\(text)")
            }
        }
    }

    @Test func `several workers are drained after a question about exactly those`() async throws {
        let time = ManualClock()
        let progress = LatestProgress(clock: time.clock)
        let house = try await APIHouse(progress: progress, clock: time.clock)
        let names = (1...30).map { "up1/\($0)" } + ["other"]
        progress.note(WorkerNews(workers: names.map { Self.report($0, used: 1, at: time.now) }))
        try await house.with { client in
            let first = try await client.ask(.get, "/dashboard/workers").text
            #expect(first.ranges(of: "<tr role=\"row\" id=").count == 25 && first.contains("page 1 of 2"))
            let second = try await client.ask(.get, "/dashboard/workers?page=2&text=").text
            #expect(second.ranges(of: "<tr role=\"row\" id=").count == 6)
            let found = try await client.ask(.get, "/dashboard/workers?text=UP1%2F2").text
            #expect(found.ranges(of: "<tr role=\"row\" id=").count == 11)
            #expect(found.contains("href=\"/dashboard/orders/drain-workers?text=UP1%2F2\""))
            let question = try await client.ask(.get, "/dashboard/orders/drain-workers?text=UP1%2F2").text
            #expect(question.contains("Drain 11 workers?") && question.contains("Their 11 running jobs"))
            #expect(question.ranges(of: "name=\"worker\" value=\"up1/2").count == 11)
            let body = "worker=up1%2F2&worker=up1%2F29"
            let path = "/dashboard/orders/drain-workers"
            let reply = try await client.ask(.post, path, headers: Self.form, body: body)
            #expect(reply.headers[.location]?.hasPrefix("/dashboard/workers?notice=") == true)
            let gone = try await client.ask(.post, path, headers: Self.form, body: body + "&worker=gone")
            #expect(gone.status == 404)
            #expect(try await client.ask(.post, path, headers: Self.form, body: "").status == 400)
            #expect(try await client.ask(.get, "/dashboard/workers?text=nothing").text.contains("is called so"))
        }
        #expect(house.operations.orders.map(\.command) == [.drainWorkers(["up1/2", "up1/29"])])
    }

    @Test func `a dead letter is shown, published again and discarded after a question`() async throws {
        let house = try await APIHouse()
        try await house.record([.unreadable(Data("{<no>".utf8), reason: "no JSON")])
        try await house.with { client in
            let list = try await client.ask(.get, "/dashboard/dead-letters").text
            #expect(list.contains("no JSON") && list.contains("/dashboard/dead-letters/1/replay"))
            let page = try await client.ask(.get, "/dashboard/dead-letters/1").text
            #expect(page.contains("{&lt;no&gt;"))
            let question = try await client.ask(.get, "/dashboard/dead-letters/1/discard").text
            #expect(question.contains("Discard dead letter 1?"))
            let reply = try await client.ask(.post, "/dashboard/dead-letters/1/discard", headers: Self.form, body: "")
            let shown = try await client.ask(.get, try #require(reply.headers[.location])).text
            #expect(shown.contains("Dead letter 1 is discarded.") && shown.contains("There are none."))
        }
    }

    @Test func `jobs of a serial line are moved by buttons, and those at its ends only inwards`() async throws {
        let house = try await APIHouse()
        let jobs = (0..<3).map { number in
            var job = Sample.job(key: "line\(number)")
            job.serial = .end
            return job
        }
        try await house.record(jobs.map { .job($0, maybeRepeated: false) })
        try await house.with { client in
            let page = try await client.ask(.get, "/dashboard/queues/default").text
            #expect(page.contains("Serial line") && page.contains("line1") && page.contains("line2"))
            #expect(page.ranges(of: "/move\"").count == 2, "the first has its turn; the other two change places")
            let last = try #require(jobs.last?.id)
            let reply = try await client.ask(
                .post, "/dashboard/jobs/\(last)/move", headers: Self.form, body: "to=0")
            #expect(reply.headers[.location]?.hasPrefix("/dashboard/queues/default?notice=") == true)
            #expect(
                try await house.ledger.line(of: .standard, after: nil, limit: 9).entries.map(\.job.id)
                    == [jobs[0].id, last, jobs[1].id])
            #expect(
                try await client.ask(.post, "/dashboard/jobs/\(last)/move", headers: Self.form, body: "to=x").status
                    == 400)
        }
    }

    @Test func `a delegate's page lists its deliveries and delivers again`() async throws {
        let house = try await APIHouse()
        let job = Sample.job()
        try await house.record([.job(job, maybeRepeated: false)])
        try await house.record([Sample.event(.completed, job)])
        try await house.with { client in
            let page = try await client.ask(.get, "/dashboard/delegates/hook").text
            #expect(page.contains("1 outcome to deliver") && page.contains("href=\"/dashboard/deliveries/1\""))
            #expect(
                try await client.ask(.get, "/dashboard/delegates/hook?status=failed").text.contains("There are none."))
            let delivery = try await client.ask(.get, "/dashboard/deliveries/1").text
            #expect(delivery.contains(">Waiting</span>") && delivery.contains("/dashboard/jobs/\(job.id)"))
            let paused = try await client.ask(.post, "/dashboard/delegates/hook/pause", headers: Self.form, body: "")
            #expect(paused.headers[.location]?.hasPrefix("/dashboard/delegates/hook?notice=") == true)
            let again = try await client.ask(.post, "/dashboard/deliveries/1/replay", headers: Self.form, body: "")
            #expect(again.headers[.location]?.hasPrefix("/dashboard/deliveries/1?notice=") == true)
            #expect(
                try await client.ask(.post, "/dashboard/deliveries/9/replay", headers: Self.form, body: "").status
                    == 404)
        }
    }
}
