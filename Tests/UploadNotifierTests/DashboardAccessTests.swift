import Foundation
import Hummingbird
import HummingbirdTesting
import Synchronization
import Testing
import Uploads

@testable import UploadNotifier

@Suite(.timeLimit(.minutes(10))) struct DashboardAccessTests {
    private static let token = "0123456789abcdef"

    private static func form(_ cookie: String? = nil, origin: String = "http://localhost") -> HTTPFields {
        var fields: HTTPFields = [.contentType: "application/x-www-form-urlencoded", .origin: origin]
        fields[.cookie] = cookie
        return fields
    }

    /// The cookie as a browser sends it.
    private static func signIn(_ client: any TestClientProtocol) async throws -> String {
        let reply = try await client.ask(.post, "/dashboard/sign-in", headers: form(), body: "token=\(token)")
        #expect(reply.status == 303 && reply.headers[.location] == "/")
        return String(try #require(reply.headers[.setCookie]).prefix { $0 != ";" })
    }

    @Test func `a user who signs in with the token sees the page and may use it, until the sign-out`() async throws {
        let house = try await APIHouse(access: .token(Self.token))
        try await house.with { client in
            for path in ["/", "/dashboard/stream"] {
                let reply = try await client.ask(.get, path)
                #expect(reply.status == 303 && reply.headers[.location] == "/dashboard/sign-in")
            }
            #expect(try await client.ask(.get, "/dashboard/sign-in").text.contains("name=\"token\""))
            #expect(try await client.ask(.get, "/assets/dashboard.css").status == 200)
            let cookie = try await Self.signIn(client)
            let page = try await client.ask(.get, "/", headers: [.cookie: "other=1; \(cookie)"])
            #expect(page.status == 200 && page.text.contains("Sign out"))
            let stop = "/dashboard/queues/video/stop"
            #expect(try await client.ask(.post, stop, headers: Self.form(cookie)).status == 303)
            #expect(house.operations.orders.count == 1)
            // A cookie is no token of the API, and without one nothing is done.
            #expect(try await client.ask(.get, "/v1/jobs", headers: [.cookie: cookie]).status == 401)
            #expect(try await client.ask(.post, stop, headers: Self.form()).headers[.location] == "/dashboard/sign-in")
            let foreign = Self.form(cookie, origin: "https://evil.example")
            #expect(try await client.ask(.post, stop, headers: foreign).status == 403)
            #expect(house.operations.orders.count == 1)
            let out = try await client.ask(.post, "/dashboard/sign-out", headers: Self.form(cookie))
            #expect(out.headers[.setCookie]?.contains("Max-Age=0") == true)
            #expect(try await client.ask(.get, "/", headers: [.cookie: cookie]).status == 303)
        }
    }

    @Test func `the cookie holds neither the token nor anything that a script could read`() async throws {
        let house = try await APIHouse(access: .token(Self.token))
        try await house.with { client in
            for (origin, isSecure) in [("http://localhost", false), ("https://localhost", true)] {
                let reply = try await client.ask(
                    .post, "/dashboard/sign-in", headers: Self.form(origin: origin), body: "token=\(Self.token)")
                let cookie = try #require(reply.headers[.setCookie])
                #expect(cookie.contains("; HttpOnly; SameSite=Strict") && cookie.contains("; Secure") == isSecure)
                #expect(cookie.contains("Path=/; Max-Age=43200") && !cookie.contains(Self.token))
            }
        }
    }

    @Test func `the page reports a wrong token, and no other page may post one`() async throws {
        let house = try await APIHouse(access: .token(Self.token))
        try await house.with { client in
            let wrong = try await client.ask(
                .post, "/dashboard/sign-in", headers: Self.form(), body: "token=%3Cscript%3Efedcba98")
            #expect(wrong.status == 401 && wrong.text.contains("That is not the token"))
            #expect(wrong.headers[.setCookie] == nil && !wrong.text.contains("fedcba98"))
            for body in ["", "token=", "token=a&token=\(Self.token)"] {
                let reply = try await client.ask(.post, "/dashboard/sign-in", headers: Self.form(), body: body)
                #expect(reply.status == 401 && reply.headers[.setCookie] == nil, "\(body)")
            }
            let foreign = try await client.ask(
                .post, "/dashboard/sign-in", headers: Self.form(origin: "https://evil.example"),
                body: "token=\(Self.token)")
            #expect(foreign.status == 403 && foreign.headers[.setCookie] == nil)
            #expect(
                try await client.ask(.post, "/dashboard/sign-in", headers: Self.form(), body: "key=1").status == 400)
        }
    }

    @Test func `a session ends in time, and a made-up session is never valid`() throws {
        let sessions = DashboardSessions()
        let access = APIAccess.token(Self.token)
        let token = try #require(access.token(named: "notifier.token"))
        let session = try #require(sessions.begin(token, at: Sample.start))
        func isValid(_ session: String, _ access: APIAccess, after seconds: Double = 0) -> Bool {
            sessions.token(of: session, among: access, at: Sample.start + seconds) != nil
        }
        #expect(isValid(session, access))
        #expect(!isValid(session, access, after: DashboardSessions.lifetime))
        #expect(
            DashboardSessions().token(of: session, among: access, at: Sample.start) != nil, "a restart ends none")
        #expect(!isValid(session, .token(Self.token + "0")), "a new token ends those of the old one")
        let both = APIToken("notifier.token", role: .read, texts: [Self.token + "0", Self.token])
        #expect(isValid(session, .tokens([both])), "while one replaces the other, both count")
        #expect(!isValid(session, .tokens([APIToken("other", role: .administer, texts: [Self.token])])))
        #expect(!isValid(session, .loopback))
        var parts = session.split(separator: ".").map(String.init)
        let name = parts[1]
        parts[1] = "6f74686572"
        let renamed = parts.joined(separator: ".")
        parts[1] = name
        parts[0] = String((Int(parts[0]) ?? 0) + 1)
        for forged in [
            "", "...", parts.joined(separator: "."), renamed, session + "0", String(session.dropLast()), session + ".x",
            String(repeating: "a.", count: 1000),
        ] {
            #expect(!isValid(forged, access), "\(forged)")
        }
        let other = try #require(sessions.begin(token, at: Sample.start))
        sessions.end(session, among: access, at: Sample.start)
        #expect(!isValid(session, access) && isValid(other, access))
    }

    @Test func `a user who asked for a page gets it after the sign-in, and no page of another host`() async throws {
        let house = try await APIHouse(access: .token(Self.token))
        try await house.with { client in
            let asked = try await client.ask(.get, "/dashboard/jobs?status=failed")
            let place = try #require(asked.headers[.location])
            #expect(place == "/dashboard/sign-in?to=%2Fdashboard%2Fjobs%3Fstatus%3Dfailed")
            #expect(try await client.ask(.get, place).text.contains("action=\"\(place)\""))
            let reply = try await client.ask(.post, place, headers: Self.form(), body: "token=\(Self.token)")
            #expect(reply.headers[.location] == "/dashboard/jobs?status=failed")
            for goal in ["%2F%2Fevil.example%2F", "https%3A%2F%2Fevil.example", "%2Fv1%2Fjobs", "%2Fdashboard%2F%5Cx"] {
                let reply = try await client.ask(
                    .post, "/dashboard/sign-in?to=\(goal)", headers: Self.form(), body: "token=\(Self.token)")
                #expect(reply.headers[.location] == "/", "\(goal)")
            }
        }
    }

    @Test func `each wrong token is answered later, and few are checked at once`() {
        let brake = GuessBrake()
        let delays = (0..<GuessBrake.waitingMaximum).map { _ in
            brake.wrong(at: Sample.start).timeIntervalSince(Sample.start)
        }
        #expect(delays == [0.25, 0.5, 1, 2, 4, 4, 4, 4])
        #expect(!brake.isOpen(at: Sample.start))
        #expect(brake.isOpen(at: Sample.start + 0.3))
        #expect(brake.wrong(at: Sample.start + 120) == Sample.start + 120.25, "after a while all is forgotten")
    }
}
