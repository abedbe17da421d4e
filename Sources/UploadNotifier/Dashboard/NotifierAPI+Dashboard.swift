import Foundation
import Hummingbird
import Logging
import Uploads

/// The routes of the dashboard at `/`: for people, as the other routes are for programs.
extension NotifierAPI {
    var dashboardRoutes: [APIRoute] {
        [
            APIRoute(.get, "/", query: ["notice"]) { [self] in try await page($0) },
            APIRoute(.get, "/dashboard/jobs", query: Set(DashboardJobList.fields + ["after"])) { [self] in
                try await jobList($0)
            },
            APIRoute(.get, "/dashboard/jobs/{id}", query: ["notice"]) { [self] in try await jobPage($0) },
            APIRoute(.get, "/dashboard/stream") { [self] in try await followDashboard($0) },
            APIRoute(.get, "/dashboard/sign-in") { [self] _ in
                dashboard.sessions == nil ? .redirect(to: "/") : .page(PageFrame.signIn(problem: nil))
            },
            APIRoute(.post, "/dashboard/sign-in") { [self] in try await signIn($0) },
            APIRoute(.post, "/dashboard/sign-out") { [self] in signOut($0) },
        ] + dashboardVerbs
            + DashboardAsset.allCases.map { asset in
                APIRoute(.get, "/assets/\(asset.rawValue)") { .asset(asset, ifNoneMatch: $0.headers[.ifNoneMatch]) }
            }
    }

    /// The pages and files that need no session: those for signing in.
    static let dashboardOpenPaths = Set(
        ["/dashboard/sign-in"] + DashboardAsset.allCases.map { "/assets/\($0.rawValue)" })

    private func page(_ request: APIRequest) async throws -> APIAnswer {
        let page = try await dashboardPage()
        return .page(page.document(notice: try notice(for: request), canSignOut: dashboard.sessions != nil))
    }

    private func jobPage(_ request: APIRequest) async throws -> APIAnswer {
        let page = DashboardJobPage(story: try await story(of: try request.jobID()), at: clock.now())
        return .page(page.document(notice: try notice(for: request), canSignOut: dashboard.sessions != nil))
    }

    /// A form sends its empty fields too.
    private func jobList(_ request: APIRequest) async throws -> APIAnswer {
        var request = request
        request.query = request.query.filter { $0.value != [""] }
        var page = DashboardJobList(
            filter: request.query.filter { $0.key != "after" }.compactMapValues(\.first), at: clock.now())
        do {
            page.jobs = try await jobs(request, limit: DashboardJobList.count)
        } catch let problem as APIProblem {
            page.problem = problem
        }
        return .page(page.document(canSignOut: dashboard.sessions != nil), status: page.problem?.status ?? .ok)
    }

    private func notice(for request: APIRequest) throws -> DashboardNotice? {
        try request.text("notice").flatMap { UUID(uuidString: $0) }.flatMap {
            dashboard.notices.notice($0, at: clock.now())
        }
    }

    // MARK: Signing in

    private func signIn(_ request: APIRequest) async throws -> APIAnswer {
        guard let sessions = dashboard.sessions, case .token(let token) = access else { return .redirect(to: "/") }
        let given = try request.form(["token"])["token"]?.first ?? ""
        guard dashboard.brake.isOpen(at: clock.now()) else {
            return .page(
                PageFrame.signIn(problem: "Too many wrong tokens; wait a few seconds and try again."),
                status: .tooManyRequests, headers: [.retryAfter: "5"])
        }
        guard APIAccess.isToken(token, "Bearer \(given)") else {
            logger.warning("a wrong token was typed at the dashboard")
            try await clock.sleep(dashboard.brake.wrong(at: clock.now()))
            return .page(PageFrame.signIn(problem: "That is not the token."), status: .unauthorized)
        }
        return .redirect(
            to: "/",
            cookie: Self.cookie(
                sessions, sessions.begin(at: clock.now()), seconds: Int(DashboardSessions.lifetime), request))
    }

    private func signOut(_ request: APIRequest) -> APIAnswer {
        guard let sessions = dashboard.sessions else { return .redirect(to: "/") }
        if let session = request.session(named: sessions.cookieName) { sessions.end(session, at: clock.now()) }
        return .redirect(to: "/dashboard/sign-in", cookie: Self.cookie(sessions, "", seconds: 0, request))
    }

    /// Behind a proxy with TLS, the browser's `Origin` begins with `https`; the cookie is then sent over TLS alone (RFC
    /// 6265bis).
    private static func cookie(
        _ sessions: DashboardSessions, _ value: String, seconds: Int, _ request: APIRequest
    ) -> String {
        let isSecure = request.headers[.origin]?.lowercased().hasPrefix("https://") ?? false
        return "\(sessions.cookieName)=\(value); Path=/; Max-Age=\(seconds); HttpOnly; SameSite=Strict"
            + (isSecure ? "; Secure" : "")
    }
}

extension APIRequest {
    /// Whether the page's script asks, rather than a form.
    var wantsJSON: Bool { headers[.accept]?.contains("application/json") ?? false }

    /// The fields of a form.
    /// - Throws: for a field that is not in `fields`.
    func form(_ fields: Set<String>) throws(APIProblem) -> [String: [String]] {
        let type = (contentType ?? "").prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
        guard type == "application/x-www-form-urlencoded" else {
            throw APIProblem(.unsupportedMediaType, "send the fields as application/x-www-form-urlencoded")
        }
        return try Self.query(String(decoding: body, as: UTF8.self), known: fields)
    }

    func session(named name: String) -> String? { Self.session(named: name, in: headers) }

    static func session(named name: String, in headers: HTTPFields) -> String? {
        for field in headers[values: .cookie] {
            for pair in field.split(separator: ";") {
                let parts = pair.split(separator: "=", maxSplits: 1)
                if parts.count == 2, parts[0].trimmingCharacters(in: .whitespaces) == name { return String(parts[1]) }
            }
        }
        return nil
    }
}
