import Foundation
import Hummingbird
import Logging
import Uploads

/// Admits the requests that may use the dashboard: on loopback those that name this host, with a token those of a
/// session or with the token itself. A request that changes something must come from the page itself.
struct DashboardGuard: RouterMiddleware {
    typealias Context = APIRequestContext

    let access: APIAccess
    let dashboard: Dashboard
    let openPaths: Set<String>
    let clock: NotifierClock

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            try APIGuard.checkOrigin(of: request)
            if case .loopback = access { try APIGuard.checkHost(of: request) }
            let isTokenCarried = isTokenCarried(by: request)
            if request.method == .post, !isTokenCarried { try checkPageItself(request) }
            if !isTokenCarried, !isSignedIn(request), !openPaths.contains(request.uri.path) {
                return signIn(instead: request)
            }
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

    private func isTokenCarried(by request: Request) -> Bool {
        guard case .token(let token) = access else { return false }
        return APIAccess.isToken(token, request.headers[.authorization])
    }

    private func isSignedIn(_ request: Request) -> Bool {
        guard let sessions = dashboard.sessions else { return true }
        guard let session = APIRequest.session(named: sessions.cookieName, in: request.headers) else { return false }
        return sessions.isValid(session, at: clock.now())
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
        let isPage = request.method == .get && request.uri.path == "/"
        guard isPage || !wantsJSON(request) else {
            return APIProblem(.notAuthenticated, "sign in again: the session has ended").response
        }
        return Response(status: .seeOther, headers: [.location: "/dashboard/sign-in", .cacheControl: "no-store"])
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
