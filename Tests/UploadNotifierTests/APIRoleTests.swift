import Foundation
import Hummingbird
import HummingbirdTesting
import Testing
import Uploads

@testable import UploadNotifier

/// Who may do what, over HTTP.
@Suite(.timeLimit(.minutes(10))) struct APIRoleTests {
    private static let access = APIAccess.tokens([
        APIToken("reader", role: .read, texts: ["reader-0123456789"]),
        APIToken("pat", role: .operate, queues: ["video"], texts: ["pat-0123456789abc"]),
        APIToken("olga", role: .operate, texts: ["olga-0123456789ab"]),
        APIToken("ada", role: .administer, texts: ["ada-0123456789abc"]),
    ])

    private static func job(in queue: String) -> UploadJob {
        var job = Sample.job(key: "own")
        job.queue = QueueName(unchecked: queue)
        return job
    }

    private static func fields(_ text: String, form: Bool = false) -> HTTPFields {
        var fields: HTTPFields = [.authorization: "Bearer \(text)"]
        if form { fields[.contentType] = "application/x-www-form-urlencoded" }
        return fields
    }

    /// A path with something in the place of each name.
    private static func path(_ route: APIRoute) -> String {
        route.path.split(separator: "/").map { part in
            switch part {
            case "{id}":
                route.path.hasPrefix("/v1/jobs") || route.path.hasPrefix("/dashboard/jobs") ? "\(JobID())" : "7"
            case "{name}": "video"
            default: String(part)
            }
        }.reduce("") { "\($0)/\($1)" }
    }

    @Test func `each route that changes something refuses a reader, and administrators' routes an operator`()
        async throws
    {
        let house = try await APIHouse(access: Self.access)
        let (api, dashboard) = (house.api.routes, house.api.dashboardRoutes)
        let changing = (api + dashboard).filter { $0.method != .get && !$0.path.contains("/sign-") }
        #expect(changing.count > 30)
        try await house.with { client in
            for route in changing {
                let form = route.path.hasPrefix("/dashboard")
                let reply = try await client.ask(
                    route.method, Self.path(route), headers: Self.fields("reader-0123456789", form: form), body: "")
                #expect(reply.status == 403, "\(route.method) \(route.path)")
                if !form { #expect(reply.problem == "not-allowed") }
            }
            let administrators = changing.filter { $0.role == .administer }.map { "\($0.method) \($0.path)" }
            #expect(
                Set(administrators) == [
                    "POST /v1/delegates", "PATCH /v1/delegates/{name}", "DELETE /v1/delegates/{name}",
                    "POST /v1/delegates/{name}/rotate-secret", "POST /v1/ledger/backup",
                ])
            for route in changing where route.role == .administer {
                let reply = try await client.ask(
                    route.method, Self.path(route), headers: Self.fields("olga-0123456789ab"), body: "{}")
                #expect(reply.status == 403 && reply.text.contains("'olga' has the role 'operate'"), "\(route.path)")
            }
            for route in api
            where route.method == .get && route.role == .read && !route.path.contains("{")
                && route.path != "/v1/events"
            {
                let reply = try await client.ask(.get, route.path, headers: Self.fields("reader-0123456789"))
                #expect(reply.status == 200, "\(route.path)")
            }
            #expect(try await client.ask(.get, "/v1/audit", headers: Self.fields("reader-0123456789")).status == 403)
            #expect(try await client.ask(.get, "/v1/audit", headers: Self.fields("olga-0123456789ab")).status == 200)
        }
        #expect(house.operations.orders.isEmpty)
    }

    @Test func `forgetting needs an administrator, in whatever way it is ordered`() async throws {
        let house = try await APIHouse(access: Self.access)
        let job = Sample.job()
        try await house.record([.job(job, maybeRepeated: false)])
        let orders = [
            ("/v1/jobs/\(job.id)/forget", ""), ("/v1/orders", #"{"verb": "forget", "jobs": ["\#(job.id)"]}"#),
            ("/v1/orders", #"{"verb": "forget", "filter": {"queue": "default"}, "atMost": 5}"#),
        ]
        try await house.with { client in
            for (path, body) in orders {
                let refused = try await client.ask(
                    .post, path, headers: Self.fields("olga-0123456789ab"), body: body)
                #expect(refused.status == 403 && refused.problem == "not-allowed", "\(path)")
                let allowed = try await client.ask(.post, path, headers: Self.fields("ada-0123456789abc"), body: body)
                #expect(allowed.status != 403 && allowed.status < 500, "\(path) \(allowed.text)")
            }
        }
    }

    @Test func `a token that is limited to queues changes their jobs alone, and nothing of the whole pool`()
        async throws
    {
        let house = try await APIHouse(access: Self.access)
        let own = Self.job(in: "video")
        let foreign = Sample.job(key: "foreign")
        try await house.record([.job(own, maybeRepeated: false), .job(foreign, maybeRepeated: false)])
        let (headers, form) = (Self.fields("pat-0123456789abc"), Self.fields("pat-0123456789abc", form: true))
        try await house.with { client in
            func status(_ path: String, _ body: String = "") async throws -> Int {
                try await client.ask(.post, path, headers: headers, body: body).status
            }
            #expect(try await status("/v1/jobs/\(own.id)/pause") == 200)
            #expect(try await status("/v1/queues/video/stop") == 200)
            #expect(
                try await status("/v1/orders", #"{"verb": "pause", "filter": {"queue": "video"}, "atMost": 5}"#) == 200)
            let count = house.operations.orders.count
            for (path, body) in [
                ("/v1/jobs/\(foreign.id)/pause", ""), ("/v1/jobs/\(foreign.id)/move", #"{"to": 0}"#),
                ("/v1/queues/default/stop", ""), ("/v1/delegates/hook/pause", ""), ("/v1/deliveries/1/replay", ""),
                ("/v1/dead-letters/1/replay", ""),
                ("/v1/orders", #"{"verb": "pause", "filter": {}, "atMost": 5}"#),
                ("/v1/orders", #"{"verb": "pause", "filter": {"queue": "default"}, "atMost": 5}"#),
                ("/v1/orders", #"{"verb": "cancel", "jobs": ["\#(own.id)", "\#(foreign.id)"]}"#),
                (
                    "/v1/jobs",
                    #"{"queue": "default", "source": {"kind": "inline", "data": "aGk="}, "destination": {"name": "photos", "key": "k"}}"#
                ),
            ] {
                let reply = try await client.ask(.post, path, headers: headers, body: body)
                #expect(reply.status == 403 && reply.problem == "not-allowed", "\(path) \(body): \(reply.text)")
            }
            for path in [
                "/dashboard/jobs/\(foreign.id)/pause", "/dashboard/queues/default/stop",
                "/dashboard/delegates/hook/pause",
            ] {
                #expect(try await client.ask(.post, path, headers: form, body: "").status == 403, "\(path)")
            }
            #expect(house.operations.orders.count == count)
            let page = try await client.ask(.get, "/dashboard/jobs/\(own.id)", headers: headers).text
            #expect(page.contains("/dashboard/jobs/\(own.id)/cancel") && page.contains(">pat</span>"))
            let other = try await client.ask(.get, "/dashboard/jobs/\(foreign.id)", headers: headers).text
            #expect(!other.contains("/dashboard/jobs/\(foreign.id)/cancel"))
            let pool = try await client.ask(.get, "/", headers: headers).text
            #expect(pool.contains("/dashboard/queues/video/start") && !pool.contains("/dashboard/queues/default/stop"))
            #expect(!pool.contains("/dashboard/delegates/hook/pause"))
            let read = try await client.ask(.get, "/", headers: Self.fields("reader-0123456789")).text
            #expect(!read.contains("method=\"post\" action=\"/dashboard/queues"))
        }
    }

    @Test func `each order is in the audit log with the token's name, also one that failed, and in the job's story`()
        async throws
    {
        let house = try await APIHouse(access: Self.access)
        let job = Sample.job()
        try await house.record([.job(job, maybeRepeated: false)])
        let headers = Self.fields("olga-0123456789ab")
        try await house.with { client in
            _ = try await client.ask(.post, "/v1/jobs/\(job.id)/pause", headers: headers)
            _ = try await client.ask(
                .post, "/v1/orders", headers: headers,
                body: #"{"verb": "resume", "jobs": ["\#(job.id)"], "by": "jo@here"}"#)
            _ = try await client.ask(.post, "/v1/delegates/hook/pause", headers: headers)
            _ = try await client.ask(.post, "/v1/dead-letters/12/replay", headers: headers)
            let page = try await client.ask(.get, "/v1/audit?limit=3", headers: headers).json
            let entries = try #require(page["entries"] as? [[String: Any]])
            #expect(entries.map { $0["verb"] as? String } == ["dead.replay", "delegate.pause", "resume"])
            #expect(entries.map { $0["by"] as? String } == ["olga", "olga", "olga as jo@here"])
            #expect(entries.map { $0["done"] as? Int } == [0, 1, 1])
            #expect((entries[0]["reason"] as? String)?.contains("no dead letter 12") == true)
            #expect(entries[2]["job"] as? String == job.id.rawValue)
            let next = try #require(page["next"] as? Int)
            let rest = try await client.ask(.get, "/v1/audit?before=\(next)&verb=pause", headers: headers).json
            #expect((rest["entries"] as? [Any])?.count == 1 && rest["next"] is NSNull)
            let story = try await client.ask(.get, "/v1/jobs/\(job.id)", headers: headers).json
            let orders = try #require(story["orders"] as? [[String: Any]])
            #expect(orders.map { $0["by"] as? String } == ["olga", "olga as jo@here"])
            let shown = try await client.ask(.get, "/dashboard/jobs/\(job.id)", headers: headers).text
            #expect(shown.contains("olga ordered: pause"))
            let audit = try await client.ask(.get, "/dashboard/audit?by=OLGA&verb=", headers: headers).text
            #expect(audit.contains("delegate hook") && audit.contains("/dashboard/jobs/\(job.id)"))
            #expect(
                try await client.ask(.get, "/dashboard/audit?by=mia", headers: headers).text.contains(
                    "No order matches"))
        }
    }

    @Test func `a replaced token counts no more, at once, and its new text does`() async throws {
        let house = try await APIHouse(access: Self.access)
        try await house.with { client in
            func status(_ text: String) async throws -> Int {
                try await client.ask(.get, "/v1/jobs", headers: Self.fields(text)).status
            }
            let first = try await status("reader-0123456789")
            #expect(first == 200)
            let both = ["reader-9876543210", "reader-0123456789"]
            house.api.admit(.tokens([APIToken("reader", role: .read, texts: both)]))
            #expect(try await status(both[0]) == 200)
            #expect(try await status(both[1]) == 200)
            #expect(try await status("ada-0123456789abc") == 401)
            house.api.admit(.tokens([APIToken("reader", role: .read, texts: [both[0]])]))
            #expect(try await status(both[0]) == 200)
            #expect(try await status(both[1]) == 401)
        }
    }

    @Test func `who gave an order is told by token, address and what the caller says`() {
        var caller = APICaller(.api)
        #expect(caller.by() == "api" && caller.by("jo@here") == "jo@here")
        caller.address = "10.0.0.2"
        #expect(caller.by("jo@here") == "jo@here from 10.0.0.2")
        caller = APICaller(APIToken("ada", role: .read, texts: []), .dashboard)
        caller.address = "127.0.0.1"
        caller.forwardedFor = "203.0.113.7"
        #expect(caller.by() == "ada from 127.0.0.1 for 203.0.113.7")
        #expect(caller.by("jo") == "ada from 127.0.0.1 for 203.0.113.7 as jo")
    }
}
