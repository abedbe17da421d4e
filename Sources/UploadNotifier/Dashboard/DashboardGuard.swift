import Foundation
import Hummingbird
import Logging
import Uploads

/// Admits the requests that may use the dashboard: on loopback those that name this host, with a token those of a
/// session or with the token itself. A request that changes something must come from the page itself.
struct DashboardGuard: RouterMiddleware {
    typealias Context = APIRequestContext

    let access: CurrentAccess
    let dashboard: Dashboard
    let openPaths: Set<String>
    let clock: NotifierClock

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            try APIGuard.checkOrigin(of: request)
            let access = access.value
            let carried = access.token(request.headers[.authorization])
            if request.method == .post, carried == nil { try checkPageItself(request) }
            guard let caller = try caller(of: request, carried, access) else { return signIn(instead: request) }
            var context = context
            context.caller = caller.connected(through: context.channel, request.headers)
            return try await next(request, context)
        } catch let problem as APIProblem {
            return answer(problem, to: request)
        } catch let error as UploadError {
            return answer(APIProblem(error), to: request)
        } catch {
            context.logger.error("the dashboard failed", metadata: [LogKey.error: "\(error)"])
            return answer(APIProblem(.failed, "the notifier failed; its log says why"), to: request)
        }
    }

    /// - Returns: nil where the user has to sign in first.
    private func caller(
        of request: Request, _ carried: APIToken?, _ access: APIAccess
    ) throws(APIProblem) -> APICaller? {
        if case .loopback = access {
            try APIGuard.checkHost(of: request)
            return APICaller(.dashboard)
        }
        if let carried { return APICaller(carried, .dashboard) }
        let session = APIRequest.session(
            named: DashboardSessions.cookieName(request.head.authority), in: request.headers)
        if let token = session.flatMap({ dashboard.sessions.token(of: $0, among: access, at: clock.now()) }) {
            return APICaller(token, .dashboard)
        }
        guard openPaths.contains(request.uri.path) else { return nil }
        var stranger = APICaller(.dashboard)
        stranger.role = .read
        return stranger
    }

    /// Every browser sends the origin of a posted form; that the origin is this host was checked before.
    private func checkPageItself(_ request: Request) throws(APIProblem) {
        guard request.headers[.origin] == nil else { return }
        let site = HTTPFields.Element.Name("Sec-Fetch-Site").flatMap { request.headers[$0] }
        guard site == "same-origin" else {
            throw APIProblem(.foreignPage, "only the dashboard itself posts here; programs use /v1")
        }
    }

    private func signIn(instead request: Request) -> Response {
        guard !wantsJSON(request) else {
            return APIProblem(.notAuthenticated, "sign in again: the session has ended").response
        }
        return Response(
            status: .seeOther,
            headers: [.location: "/dashboard/sign-in" + Self.returning(to: request), .cacheControl: "no-store"])
    }

    /// The query by which the sign-in leads back to the page that was asked for.
    private static func returning(to request: Request) -> String {
        let place = request.uri.string
        guard request.method == .get, place.hasPrefix("/dashboard/"), place != "/dashboard/stream",
            place.utf8.count <= 1024,
            let text = place.addingPercentEncoding(withAllowedCharacters: DashboardPage.pathCharacters)
        else { return "" }
        return "?to=\(text)"
    }

    private func wantsJSON(_ request: Request) -> Bool {
        let accept = request.headers[.accept] ?? ""
        return accept.contains("application/json") || accept.contains("text/event-stream")
    }

    /// A page for people, a problem for the script.
    private func answer(_ problem: APIProblem, to request: Request) -> Response {
        guard !wantsJSON(request) else { return problem.response }
        return APIAnswer.pageResponse(
            PageFrame.message(
                "That did not work", problem.sentence, link: "<p><a href=\"/\">Back to the dashboard</a></p>"),
            status: problem.status, headers: problem.headers)
    }
}

extension APIProblem {
    /// What went wrong, as a page tells it.
    var sentence: String { "\(detail.prefix(1).uppercased())\(detail.dropFirst())." }
}
