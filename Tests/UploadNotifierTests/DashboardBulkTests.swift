import Foundation
import Hummingbird
import HummingbirdTesting
import Testing
import Uploads
import UploadsAPI

@testable import UploadNotifier

/// Verbs for all jobs of a list.
@Suite(.timeLimit(.minutes(10))) struct DashboardBulkTests {
    private static let form: HTTPFields = [
        .contentType: "application/x-www-form-urlencoded", .origin: "http://localhost",
    ]

    /// A house a minute after the jobs of the tests were enqueued and failed.
    private static func house() async throws -> APIHouse {
        let time = ManualClock()
        time.advance(to: time.now + 60)
        return try await APIHouse(clock: time.clock)
    }

    private static func failed(_ job: UploadJob, at time: Date = Sample.start) -> NotifierMessage {
        var event = UploadEvent(kind: .failed, of: Baton(job: job), at: time)
        event.data.error = UploadError(.rejected, "no")
        return .event(event)
    }

    /// The hidden fields of the question's form, as a browser posts them.
    private static func fields(_ page: String) throws -> String {
        let form = try #require(
            page.firstMatch(
                of: /<form method="post" action="\/dashboard\/orders\/[a-z-]+">(.*?)<\/form>/.dotMatchesNewlines()))
        return form.1.matches(of: /name="([a-zA-Z]+)" value="([^"]*)"/).map { match in
            "\(match.1)=\(String(match.2).addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
        }.joined(separator: "&")
    }

    @Test(arguments: [
        (OrderPreview(matched: 20_000, mayBeMore: true), "Run at least 20,000 jobs again", 1_000_000),
        (OrderPreview(matched: 0, mayBeMore: true), "Run at least 0 jobs again", 1_000_000),
        (OrderPreview(matched: 1), "Run 1 job again", 1),
    ])
    func `the question says whether more jobs may match than were counted`(
        preview: OrderPreview, label: String, most: Int
    ) throws {
        let page = DashboardBulkPage(
            verb: .runAgain, filter: DashboardJobFilter(["status": "failed"]), preview: preview, sample: [],
            viewer: DashboardViewer(APICaller(.dashboard)), at: Sample.start
        ).document.text
        #expect(page.contains("<h2 id=\"heading-question\">\(label)?</h2>"))
        #expect(page.contains("<button class=\"strong\">\(label)</button>"))
        #expect(try Self.fields(page).contains("atMost=\(most)"))
        let order = UploadOrder(.matching(.runAgain, OrderFilter(), atMost: nil), by: "jo", at: Sample.start)
        let answer = API.OrderAnswer(dryRunOf: order, preview)
        #expect(answer.matched == preview.matched && answer.mayBeMore == (preview.mayBeMore ? true : nil))
    }

    @Test func `a list offers what its jobs can obey, and the question says how many they are`() async throws {
        let house = try await Self.house()
        let jobs = (0..<12).map { Sample.job(key: "key\($0)") }
        try await house.record(jobs.map { .job($0, maybeRepeated: false) })
        try await house.record(jobs.prefix(10).map { Self.failed($0) })
        try await house.with { client in
            let failed = try await client.ask(.get, "/dashboard/jobs?status=failed").text
            #expect(
                failed.contains("href=\"/dashboard/orders/run-again?status=failed\"")
                    && failed.contains("orders/discard?"))
            #expect(!failed.contains("orders/pause?") && !failed.contains("orders/cancel?"))
            let open = try await client.ask(.get, "/dashboard/jobs?status=queued,waiting").text
            #expect(open.contains("orders/pause?status=queued%2Cwaiting") && !open.contains("orders/run-again"))
            #expect(try await !client.ask(.get, "/dashboard/jobs?queue=none").text.contains("/dashboard/orders/"))
            let page = try await client.ask(.get, "/dashboard/orders/run-again?status=failed&destination=https").text
            #expect(
                page.contains("Run 10 jobs again?") && page.contains("8 of 10") && page.contains("failed jobs to https")
            )
            #expect(page.ranges(of: "<li><p class=\"line\">").count == DashboardBulkPage.sampleCount)
            let none = try await client.ask(.get, "/dashboard/orders/discard?batch=none").text
            #expect(
                none.contains("Discard 0 jobs?") && !none.contains("<form method=\"post\" action=\"/dashboard/orders"))
            #expect(try await client.ask(.get, "/dashboard/orders/discard?error=lost").status == 400)
        }
        #expect(house.operations.orders.isEmpty)
    }

    @Test func `the order is about the jobs that were counted, and not about those that fail later`() async throws {
        let time = ManualClock()
        let house = try await APIHouse(clock: time.clock)
        let jobs = (0..<3).map { Sample.job(key: "key\($0)") }
        try await house.record(jobs.map { .job($0, maybeRepeated: false) })
        try await house.record(jobs.prefix(2).map { Self.failed($0, at: time.now - 60) })
        try await house.with { client in
            let page = try await client.ask(.get, "/dashboard/orders/run-again?status=failed").text
            #expect(page.contains("Run 2 jobs again?"))
            let body = try Self.fields(page)
            time.advance(to: time.now + 5)
            try await house.record([Self.failed(jobs[2], at: time.now)])
            time.advance(to: time.now + 5)
            let reply = try await client.ask(.post, "/dashboard/orders/run-again", headers: Self.form, body: body)
            let place = try #require(reply.headers[.location])
            #expect(reply.status == 303 && place.hasPrefix("/dashboard/jobs?status=failed&notice="))
            let shown = try await client.ask(.get, place).text
            #expect(shown.contains("Run 2 jobs again: done."), "\(shown)")
            #expect(try await house.ledger.job(jobs[0].id)?.orders.map(\.verb) == ["runAgain"])
            #expect(try await house.ledger.job(jobs[2].id)?.orders == [])
        }
        let audit = try await house.ledger.audit(AuditListing())
        #expect(audit.map(\.entry.done) == [2])
        #expect(audit.last?.entry.subject.hasPrefix("failed jobs ended before") == true)
    }

    @Test func `if more match than were counted, nothing is done, and the notice says how many`() async throws {
        let house = try await Self.house()
        let jobs = (0..<3).map { Sample.job(key: "key\($0)") }
        try await house.record(jobs.map { .job($0, maybeRepeated: false) })
        try await house.record(jobs.prefix(2).map { Self.failed($0) })
        try await house.with { client in
            let body = try Self.fields(try await client.ask(.get, "/dashboard/orders/discard?status=failed").text)
            // A worker's clock may be behind: this failure counts as older than the question.
            try await house.record([Self.failed(jobs[2], at: Sample.start - 60)])
            let reply = try await client.ask(.post, "/dashboard/orders/discard", headers: Self.form, body: body)
            let shown = try await client.ask(.get, try #require(reply.headers[.location])).text
            #expect(shown.contains("3 jobs match now, more than the 2 that were counted, and nothing was done"))
            #expect(try await house.ledger.job(jobs[0].id)?.end?.kind == .failed)
        }
    }

    @Test func `a pause of many can be taken back from the notice`() async throws {
        let house = try await Self.house()
        var jobs = (0..<3).map { Sample.job(key: "key\($0)") }
        jobs[0].batch = "acme"
        jobs[1].batch = "acme"
        try await house.record(jobs.map { .job($0, maybeRepeated: false) })
        let ids = jobs.map(\.id)
        try await house.with { client in
            let page = try await client.ask(.get, "/dashboard/orders/pause?batch=acme").text
            let reply = try await client.ask(
                .post, "/dashboard/orders/pause", headers: Self.form, body: try Self.fields(page))
            let shown = try await client.ask(.get, try #require(reply.headers[.location])).text
            #expect(shown.contains("Pause 2 jobs: done."))
            let undo = try #require(shown.firstMatch(of: /<a href="(\/dashboard\/orders\/resume[^"]+)">Undo<\/a>/)?.1)
            #expect(try await house.ledger.job(ids[0])?.isPaused == true)
            #expect(try await house.ledger.job(ids[2])?.isPaused == false)
            let question = try await client.ask(.get, String(undo).replacing("&amp;", with: "&")).text
            #expect(question.contains("Resume 2 jobs?"), "\(question)")
        }
    }

    @Test(arguments: [
        ("2h", -7200.0), ("90m", -5400), ("1d", -86_400), ("45s", -45), ("2027-01-15T06:00:00Z", -7200),
        ("07:00", -3600), ("8:00", 0), ("08:01", -86_340), ("2027-01-14", -115_200), ("2027-01-14 23:30", -30_600),
    ])
    func `times are read as people type them`(text: String, seconds: Double) throws {
        let zone = try #require(TimeZone(identifier: "UTC"))
        #expect(PastMoment.read(text, now: Sample.start, in: zone) == Sample.start + seconds)
    }

    @Test(arguments: ["", "soon", "25:00", "2027-02-30", "1e9h", "99999999d", "12", "-2h"])
    func `other texts are no times`(text: String) {
        #expect(PastMoment.read(text, now: Sample.start) == nil)
    }
}
