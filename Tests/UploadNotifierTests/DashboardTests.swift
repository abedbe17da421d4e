import Foundation
import Hummingbird
import HummingbirdTesting
import Synchronization
import Testing
import Uploads

@testable import UploadNotifier

@Suite(.timeLimit(.minutes(10))) struct DashboardTests {
    private static let form: HTTPFields = [
        .contentType: "application/x-www-form-urlencoded", .origin: "http://localhost",
    ]

    private static func failed(_ job: UploadJob, _ message: String = "the server said no") -> NotifierMessage {
        var event = UploadEvent(kind: .failed, of: Baton(job: job), at: Sample.start)
        event.data.error = UploadError(.rejected, message)
        return .event(event)
    }

    @Test func `the page shows everything without a script, and no secret`() async throws {
        let house = try await APIHouse()
        let jobs = (0..<3).map { Sample.job(key: "key\($0)") }
        try await house.record(jobs.map { .job($0, maybeRepeated: false) })
        try await house.record([Sample.event(.started, jobs[0]), Self.failed(jobs[1])])
        try await house.record([.unreadable(Data("{".utf8), reason: "no JSON")])
        var report = UploadEvent(kind: .progress, of: Baton(job: jobs[0]), at: Sample.start)
        report.data.bytesDone = 3
        report.data.bytesPerSecond = 1
        house.progress.note([report])
        house.operations.set([.standard: [.normal: LaneDepth(messages: 7, consumers: 2)]])
        try await house.with { client in
            let page = try await client.ask(.get, "/")
            #expect(page.status == 200 && page.headers[.contentType] == "text/html; charset=utf-8")
            #expect(page.headers[.cacheControl] == "no-store")
            for text in [
                "https://host.example/key0", "value=\"600\"", "3 B of 5 B", "2 s left", "7\u{A0}normal",
                "the server said no",
                "href=\"/dashboard/jobs/\(jobs[1].id)\"", "action=\"/dashboard/queues/default/stop\"",
                "href=\"/dashboard/orders/run-again?status=failed&amp;destination=https&amp;error=rejected\"",
                "href=\"/dashboard/orders/run-again?status=failed&amp;destination=https\" aria-label",
                "<bdi>hook</bdi>", "<bdi>photos</bdi>", "at most 8 jobs per worker", "href=\"/dashboard/dead-letters\"",
            ] { #expect(page.text.contains(text), "\(text)") }
            #expect(!page.text.contains("=hidden") && !page.text.contains("signature") && !page.text.contains("hello"))
        }
    }

    @Test func `the page loads nothing from other hosts, and a strict policy forbids nothing in it`() async throws {
        let house = try await APIHouse()
        try await house.record([.job(Sample.job(), maybeRepeated: false)])
        try await house.with { client in
            let page = try await client.ask(.get, "/")
            let policy = try #require(page.headers[.contentSecurityPolicy])
            #expect(policy.hasPrefix("default-src 'none';") && !policy.contains("unsafe") && !policy.contains("http"))
            for word in ["style=", "<style", " onclick", " onload", "javascript:", "src=\"http", "href=\"http", "//"] {
                let rest = page.text.replacing(/https:\/\/?(<wbr>)?\/?(<wbr>)?host.example/, with: "")
                #expect(!rest.contains(word), "\(word)")
            }
            for asset in DashboardAsset.allCases {
                let reply = try await client.ask(.get, "/assets/\(asset.rawValue)")
                let etag = try #require(reply.headers[.eTag])
                #expect(reply.status == 200 && reply.text.utf8.count > 100 && reply.headers[.contentType] == asset.type)
                let again = try await client.ask(.get, "/assets/\(asset.rawValue)", headers: [.ifNoneMatch: etag])
                #expect(again.status == 304 && again.text.isEmpty)
            }
            #expect(try await client.ask(.get, "/assets/other.css").status == 404)
            #expect(try await client.ask(.get, "/?filter=x").status == 400)
            #expect(try await client.ask(.post, "/").status == 405)
        }
    }

    @Test func `names and messages that would be markup are text`() async throws {
        let house = try await APIHouse()
        let hostile = "\"><script>alert(1)</script><img src=x onerror=alert(2)>\u{202E}gpj' onclick='x"
        let job = UploadJob(
            source: .inline(Data("hello".utf8)),
            destination: .named(try DestinationName("photos"), key: hostile), size: 5, enqueuedAt: Sample.start)
        let other = UploadJob(
            source: .inline(Data("hello".utf8)),
            destination: .named(try DestinationName("photos"), key: hostile + "2"), size: 5, enqueuedAt: Sample.start)
        try await house.record([.job(job, maybeRepeated: false), .job(other, maybeRepeated: false)])
        try await house.record([Self.failed(job, hostile), Sample.event(.started, other)])
        try await house.with { client in
            let page = try await client.ask(.get, "/").text
            #expect(page.contains("&quot;&gt;&lt;script&gt;alert(1)"))
            #expect(!page.contains("<script>") && !page.contains("<img") && !page.contains("onclick='"))
            #expect(!page.contains("\u{202E}"))
        }
    }

    @Test func `a button is an order, and the page after the redirect shows the result`() async throws {
        let time = ManualClock()
        let house = try await APIHouse(clock: time.clock)
        let job = Sample.job()
        try await house.record([.job(job, maybeRepeated: false)])
        try await house.record([Self.failed(job)])
        try await house.with { client in
            var shown = ""
            func press(_ path: String, _ body: String = "") async throws -> String {
                let reply = try await client.ask(.post, "/dashboard/\(path)", headers: Self.form, body: body)
                #expect(reply.status == 303, "\(reply.text)")
                let place = try #require(reply.headers[.location])
                #expect(place.contains("?notice="))
                shown = place
                return try await client.ask(.get, place).text
            }
            let stopped = try await press("queues/default/stop")
            #expect(stopped.contains("Queue default is stopped") && stopped.contains(">Stopped</span>"))
            #expect(stopped.contains("action=\"/dashboard/queues/default/start\""))
            #expect(try await press("queues/default/start").contains("Queue default goes on"))
            #expect(try await press("jobs/\(JobID())/run-again").contains("It was refused: "), "and no page of it")
            #expect(try await press("delegates/hook/pause").contains("Delegate hook is paused"))
            let resumed = try await press("delegates/hook/resume")
            #expect(resumed.contains("Delegate hook is served again") && !resumed.contains(">Paused</span>"))
            // The page shows a notice for a while, and no made-up one.
            time.advance(to: time.now + DashboardNotices.lifetime)
            #expect(try await !client.ask(.get, shown).text.contains("Delegate hook is served again"))
            let made = try await client.ask(.get, "/?notice=Your+account+is+locked").text
            #expect(!made.contains("locked"))
        }
        #expect(house.operations.orders.map(\.by) == Array(repeating: "dashboard", count: 3))
        #expect(house.operations.orders.first?.command == .stopQueues([.standard]))
    }

    @Test func `a job's page says why it does not run and what happened, and offers what fits`() async throws {
        let house = try await APIHouse()
        let jobs = (0..<2).map { Sample.job(key: "key\($0)") }
        try await house.record(jobs.map { .job($0, maybeRepeated: false) })
        try await house.record([Self.failed(jobs[0], "the server said <no>")])
        try await house.with { client in
            let page = try await client.ask(.get, "/dashboard/jobs/\(jobs[0].id)")
            #expect(page.status == 200 && page.headers[.cacheControl] == "no-store")
            for text in [
                "host.example/<wbr>key0", "It has failed: the server said &lt;no&gt;", "enqueued",
                "<h2 id=\"heading-history\">",
                "action=\"/dashboard/jobs/\(jobs[0].id)/discard\"", "uploadctl run --again \(jobs[0].id)",
                ">Discard…</button>",
            ] { #expect(page.text.contains(text), "\(text)") }
            #expect(!page.text.contains("=hidden") && !page.text.contains("signature") && !page.text.contains("hello"))
            #expect(!page.text.contains("/cancel\""), "it has ended")
            let waiting = try await client.ask(.get, "/dashboard/jobs/\(jobs[1].id)").text
            #expect(waiting.contains(">Cancel…</button>") && waiting.contains(">Pause</button>"))
            #expect(!waiting.contains("/discard\"") && !waiting.contains("/run-again\""))
            #expect(try await client.ask(.get, "/").text.contains("href=\"/dashboard/jobs/\(jobs[0].id)\""))
            let unknown = try await client.ask(.get, "/dashboard/jobs/\(JobID())")
            #expect(unknown.status == 404 && unknown.text.contains("That did not work"))
            let reply = try await client.ask(
                .post, "/dashboard/jobs/\(jobs[1].id)/pause", headers: Self.form, body: "")
            let place = try #require(reply.headers[.location])
            #expect(place.hasPrefix("/dashboard/jobs/\(jobs[1].id)?notice="))
            let paused = try await client.ask(.get, place).text
            #expect(paused.contains("The job is paused.") && paused.contains(">Resume</button>"))
        }
    }

    @Test func `a job is found by its name and by what it is, page by page`() async throws {
        let house = try await APIHouse()
        var jobs = (0..<DashboardJobList.count).map { Sample.job(key: "holiday/\($0).jpg") }
        jobs.append(Sample.job(key: "tax <2026>.pdf"))
        jobs[DashboardJobList.count].batch = "the office"
        try await house.record(jobs.map { .job($0, maybeRepeated: false) })
        try await house.record([Self.failed(jobs[DashboardJobList.count])])
        try await house.with { client in
            func page(_ query: String, _ status: Int = 200) async throws -> String {
                let reply = try await client.ask(.get, "/dashboard/jobs\(query)")
                #expect(reply.status == status && reply.text.utf8.count < 100_000)
                return reply.text
            }
            func count(_ text: String) -> Int { text.ranges(of: "<li><p class=\"line\">").count }
            // As a browser sends the form, with empty fields.
            let found = try await page("?text=2026&status=&queue=&destination=&batch=the+office")
            #expect(count(found) == 1 && found.contains("tax &lt;2026&gt;.pdf") && found.contains("the server said no"))
            #expect(
                found.contains("name=\"batch\" type=\"search\" value=\"the office\"") && !found.contains("Older jobs"))
            let failed = try await page("?status=failed")
            #expect(count(failed) == 1 && failed.contains("<option value=\"failed\" selected>"))
            #expect(count(try await page("?status=queued,waiting")) == DashboardJobList.count)
            let first = try await page("")
            #expect(count(first) == DashboardJobList.count)
            let next = try #require(first.firstMatch(of: /href="\/dashboard\/jobs(\?after=[^"]+)"/)?.1)
            #expect(count(try await page(String(next))) == 1)
            #expect(try await page("?queue=video").contains("No job matches."))
            #expect(try await page("?text=ab", 400).contains("role=\"alert\">The query"))
            #expect(try await page("?endedSince=soon", 400).contains("is no time"))
            #expect(count(try await page("?error=rejected&endedUntil=2100-01-01")) == 1)
            #expect(try await page("?error=rejected&endedUntil=2001-01-01").contains("No job matches."))
            #expect(try await page("?status=lost", 400).contains("one or more of queued"))
            #expect(try await page("?queue=%22%3E%3Cscript%3E", 400).contains("value=\"&quot;&gt;&lt;script&gt;\""))
            #expect(try await client.ask(.get, "/").text.contains("href=\"/dashboard/jobs?status=failed\""))
        }
    }

    @Test func `what cannot be undone, or concerns much, asks first`() async throws {
        let house = try await APIHouse()
        let job = Sample.job()
        try await house.record([.job(job, maybeRepeated: false)])
        try await house.record([Self.failed(job), .job(Sample.job(key: "other"), maybeRepeated: false)])
        try await house.with { client in
            for (path, question) in [
                ("queues/default/stop", "Stop queue default?"), ("jobs/\(job.id)/cancel", "Cancel this job?"),
                ("jobs/\(job.id)/discard", "Discard this job?"),
            ] {
                let page = try await client.ask(.get, "/dashboard/\(path)")
                #expect(page.status == 200 && page.text.contains("<h2 id=\"heading\">\(question)</h2>"), "\(path)")
                let action = path.prefix { $0 != "?" }
                #expect(page.text.contains("<form method=\"post\" action=\"/dashboard/\(action)\""))
            }
            #expect(
                try await client.ask(.get, "/").text.contains(
                    "<form method=\"get\" action=\"/dashboard/queues/default/stop\""))
            for path in ["orders/forget", "orders/pause?status=x", "jobs/\(JobID())/cancel", "queues/Video!/stop"] {
                #expect(try await client.ask(.get, "/dashboard/\(path)").status >= 400, "\(path)")
            }
        }
        #expect(house.operations.orders.isEmpty)
    }

    @Test func `a button answers the page's script with JSON`() async throws {
        let house = try await APIHouse()
        try await house.with { client in
            var headers = Self.form
            headers[.accept] = "application/json"
            let done = try await client.ask(.post, "/dashboard/queues/video/stop", headers: headers)
            #expect(try done.status == 200 && (done.json["text"] as? String)?.contains("video") == true)
            for (path, body, status) in [
                ("queues/Video!/stop", "", 400), ("jobs/x/run-again", "", 400), ("orders/pause", "", 400),
                ("orders/pause", "atMost=1&at=never", 400), ("orders/pause", "name=x", 400),
                ("delegates/none/pause", "", 404), ("workers/none/drain", "", 404),
            ] {
                let reply = try await client.ask(.post, "/dashboard/\(path)", headers: headers, body: body)
                #expect(reply.status == status && reply.problem != nil, "\(path) \(body)")
            }
            house.operations.fail(UploadError(.networkFailure, "the broker is away"))
            let failed = try await client.ask(.post, "/dashboard/queues/video/stop", headers: headers)
            #expect(failed.status == 503)
        }
    }

    @Test func `a form of another page is refused, and so is one without an origin`() async throws {
        let house = try await APIHouse()
        try await house.with { client in
            for origin in ["https://evil.example", "null", "http://localhost.evil.example", nil] {
                var headers: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
                headers[.origin] = origin
                let reply = try await client.ask(.post, "/dashboard/queues/video/stop", headers: headers)
                #expect(reply.status == 403 && reply.text.contains("That did not work"), "\(origin ?? "nothing")")
            }
        }
        #expect(house.operations.orders.isEmpty)
    }

    @Test func `a form without an origin is taken if the browser marks it as same-origin`() async throws {
        let house = try await APIHouse()
        try await house.with { client in
            var headers: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
            let site = try #require(HTTPFields.Element.Name("Sec-Fetch-Site"))
            for (word, status) in [("cross-site", 403), ("same-site", 403), ("same-origin", 303)] {
                headers[site] = word
                let reply = try await client.ask(.post, "/dashboard/queues/video/stop", headers: headers)
                #expect(reply.status == status, "\(word)")
            }
        }
        #expect(house.operations.orders.count == 1)
    }

    @Test func `every part of the page is one element with an id, so that it can replace an older one`()
        async throws
    {
        let house = try await APIHouse()
        try await house.record([.job(Sample.job(), maybeRepeated: false)])
        let page = try await house.api.dashboardPage(for: APICaller(.dashboard))
        let document = page.document(notice: nil).text
        #expect(Set(page.parts.map(\.id)).count == page.parts.count && page.parts.count == 9)
        for part in page.parts {
            #expect(part.html.text.firstMatch(of: /^<\w+ [^>]*id="(part-\w+)"/).map { String($0.1) } == part.id)
            #expect(document.contains(part.html.text), "\(part.id)")
        }
        let again = try await house.api.dashboardPage(for: APICaller(.dashboard))
        #expect(again.parts == page.parts, "what has not changed is not sent again")
    }

    @Test func `while the broker is away the page says so, and its orders wait`() async throws {
        let house = try await APIHouse()
        let job = Sample.job()
        try await house.record([.job(job, maybeRepeated: false), Self.failed(job)])
        house.operations.fail(UploadError(.networkFailure, "the broker is away"))
        try await house.with { client in
            let page = try await client.ask(.get, "/")
            #expect(page.status == 200 && page.text.contains("cannot ask the broker just now"))
            #expect(page.text.contains("disabled>Pause") && !page.text.contains("/stop\""))
        }
    }

    @Test func `with nothing to show, every part says so`() async throws {
        try await APIHouse().with { client in
            let page = try await client.ask(.get, "/").text
            for text in [
                "Nothing is running", "Nothing failed", "No job was ever enqueued", "Every message could be read",
            ] {
                #expect(page.contains(text))
            }
        }
    }

    @Test func `a notifier that stands by says so`() async throws {
        let router = Router(context: APIRequestContext.self)
        let obstacle = Mutex(LedgerObstacle.taken)
        router.add(middleware: StandByGuard(openPaths: StandInPage.assetPaths) { obstacle.withLock(\.self) })
        StandInPage.addAssets(to: router)
        try await Application(router: router, logger: quiet).test(.router) { client in
            let page = try await client.ask(.get, "/")
            #expect(
                page.status == 503 && page.text.contains("Standing by")
                    && page.text.contains("http-equiv=\"refresh\""))
            #expect(try await client.ask(.get, "/assets/dashboard.css").status == 200)
            obstacle.withLock { $0 = .failed(UploadError(.serverFailure, "no space is left for <it>")) }
            let waiting = try await client.ask(.get, "/")
            #expect(waiting.status == 503 && waiting.text.contains("cannot record: no space is left for &lt;it&gt;."))
        }
    }

    @Test func `minutes in which no job ended are listed too, and those of all queues are added up`() {
        let now = Sample.start + 30
        let statuses = ["a", "b"].map { name in
            QueueLoad(
                queue: QueueName(unchecked: name),
                throughput: [
                    ThroughputMinute(start: Sample.start - 60, completed: 2, failed: 1, bytes: 10),
                    ThroughputMinute(start: Sample.start, completed: 1, bytes: 5),
                    ThroughputMinute(start: Sample.start - 7200, completed: 9),
                ])
        }
        let minutes = DashboardModel.minutes(of: statuses, until: now)
        #expect(minutes.count == 60)
        #expect(minutes.suffix(2).map(\.completed) == [4, 2] && minutes.suffix(2).map(\.bytes) == [20, 10])
        #expect(minutes.reduce(0) { $0 + $1.completed } == 6)
        #expect(minutes.last?.start == Sample.start)
    }
}
