import Foundation
import Hummingbird
import Logging
import Uploads

/// The routes of the dashboard at `/`: for people, as the other routes are for programs.
extension NotifierAPI {
    var dashboardRoutes: [APIRoute] {
        [
            APIRoute(.get, "/", query: ["notice"]) { [self] in try await page($0) },
            APIRoute(.get, "/dashboard/jobs", query: Set(DashboardJobFilter.fields + ["after", "notice"])) { [self] in
                try await jobList($0)
            },
            APIRoute(.get, "/dashboard/jobs/{id}", query: ["notice"]) { [self] in try await jobPage($0) },
            APIRoute(.get, "/dashboard/audit", query: Set(DashboardAudit.fields + ["before"]), role: .operate) {
                [self] in
                try await auditPage($0)
            },
            APIRoute(.get, "/dashboard/stream") { [self] in try await followDashboard($0) },
            APIRoute(.get, "/dashboard/sign-in", query: ["to"]) { [self] in
                needsToken ? .page(PageFrame.signIn(problem: nil, to: try Self.goal(of: $0))) : .redirect(to: "/")
            },
            APIRoute(.post, "/dashboard/sign-in", query: ["to"], role: .read, isOfQueues: true) { [self] in
                try await signIn($0)
            },
            APIRoute(.post, "/dashboard/sign-out", role: .read, isOfQueues: true) { [self] in signOut($0) },
        ] + dashboardVerbs + dashboardPages
            + DashboardAsset.allCases.map { asset in
                APIRoute(.get, "/assets/\(asset.rawValue)") { .asset(asset, ifNoneMatch: $0.headers[.ifNoneMatch]) }
            }
    }

    /// The pages and files that need no session: those for signing in.
    static let dashboardOpenPaths = Set(
        ["/dashboard/sign-in"] + DashboardAsset.allCases.map { "/assets/\($0.rawValue)" })

    private func page(_ request: APIRequest) async throws -> APIAnswer {
        let page = try await dashboardPage(for: request.caller)
        return .page(page.document(notice: try notice(for: request)))
    }

    private func jobPage(_ request: APIRequest) async throws -> APIAnswer {
        let page = DashboardJobPage(
            story: try await story(of: try request.jobID()), viewer: DashboardViewer(request.caller), at: clock.now())
        return .page(page.document(notice: try notice(for: request)))
    }

    private func auditPage(_ request: APIRequest) async throws -> APIAnswer {
        let request = request.withoutEmptyFields
        let page = DashboardAudit(
            filter: request.query.filter { DashboardAudit.fields.contains($0.key) }.compactMapValues(\.first),
            page: try await audit(request, limit: DashboardAudit.count), viewer: DashboardViewer(request.caller),
            at: clock.now())
        return .page(page.document)
    }

    private func jobList(_ request: APIRequest) async throws -> APIAnswer {
        let notice = try notice(for: request)
        let filter = DashboardJobFilter(request.query)
        var page = DashboardJobList(filter: filter, viewer: DashboardViewer(request.caller), at: clock.now())
        do {
            var asked = request
            asked.query = try filter.exact(now: clock.now()).parameters
            asked.query["after"] = request.query["after"]
            page.jobs = try await jobs(asked, limit: DashboardJobList.count)
        } catch let problem as APIProblem {
            page.problem = problem
        }
        return .page(page.document(notice: notice), status: page.problem?.status ?? .ok)
    }

    func notice(for request: APIRequest) throws -> DashboardNotice? {
        try request.text("notice").flatMap { UUID(uuidString: $0) }.flatMap {
            dashboard.notices.notice($0, at: clock.now())
        }
    }

    // MARK: Signing in

    private var needsToken: Bool { if case .tokens = access.value { true } else { false } }

    /// The page to which the sign-in leads: only one of the dashboard itself.
    private static func goal(of request: APIRequest) throws(APIProblem) -> String? {
        guard let place = try request.text("to"), place.hasPrefix("/dashboard/"), !place.contains("\\") else {
            return nil
        }
        return place
    }

    private func signIn(_ request: APIRequest) async throws -> APIAnswer {
        guard needsToken else { return .redirect(to: "/") }
        let goal = try Self.goal(of: request)
        let given = try request.form(["token"])["token"] ?? []
        guard dashboard.brake.isOpen(at: clock.now()) else {
            return .page(
                PageFrame.signIn(problem: "Too many wrong tokens; wait a few seconds and try again.", to: goal),
                status: .tooManyRequests, headers: [.retryAfter: "5"])
        }
        let token = given.first.flatMap { access.value.token(text: $0) }
        guard let token, let session = dashboard.sessions.begin(token, at: clock.now()) else {
            logger.warning(
                "a wrong token was typed at the dashboard", metadata: [LogKey.by: "\(request.caller.by())"])
            try await clock.sleep(dashboard.brake.wrong(at: clock.now()))
            return .page(PageFrame.signIn(problem: "That is not the token.", to: goal), status: .unauthorized)
        }
        logger.notice(
            "a user signed in at the dashboard",
            metadata: [LogKey.by: "\(APICaller(token, .dashboard).connected(like: request.caller).by())"])
        return .redirect(
            to: goal ?? "/",
            cookie: Self.cookie(session, seconds: Int(DashboardSessions.lifetime), request))
    }

    private func signOut(_ request: APIRequest) -> APIAnswer {
        guard needsToken else { return .redirect(to: "/") }
        if let session = request.session { dashboard.sessions.end(session, among: access.value, at: clock.now()) }
        return .redirect(to: "/dashboard/sign-in", cookie: Self.cookie("", seconds: 0, request))
    }

    /// Behind a proxy with TLS, the browser's `Origin` begins with `https`; the cookie is then sent over TLS alone (RFC
    /// 6265bis).
    private static func cookie(_ value: String, seconds: Int, _ request: APIRequest) -> String {
        let isSecure = request.headers[.origin]?.lowercased().hasPrefix("https://") ?? false
        return
            "\(DashboardSessions.cookieName(request.authority))=\(value); Path=/; Max-Age=\(seconds); HttpOnly; SameSite=Strict"
            + (isSecure ? "; Secure" : "")
    }
}

extension APIRequest {
    /// The request without the parameters that have no value: a form sends its empty fields too.
    fileprivate var withoutEmptyFields: APIRequest {
        var request = self
        request.query = query.filter { $0.value != [""] }
        return request
    }

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

    /// The session's cookie.
    var session: String? { Self.session(named: DashboardSessions.cookieName(authority), in: headers) }

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
