import Foundation
import Hummingbird
import Logging

/// Admits the callers that may use the API, and turns every error into a problem.
struct APIGuard: RouterMiddleware {
    typealias Context = APIRequestContext

    let access: APIAccess
    let routes: [APIRoute]
    /// Paths that need no permission: whether the process lives.
    let openPaths: Set<String>

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            if !openPaths.contains(request.uri.path) { try admit(request) }
            return try await next(request, context)
        } catch let problem as APIProblem {
            return problem.response
        } catch let error as any HTTPResponseError where error.status == .notFound {
            return missing(request).response
        } catch let error as any HTTPResponseError where error.status.kind == .clientError {
            return APIProblem.invalid("the request cannot be understood").response
        } catch {
            context.logger.error("a request failed", metadata: [LogKey.error: "\(error)"])
            return APIProblem(.failed, "the notifier failed; its log says why").response
        }
    }

    /// A browser names the origin of the page that sends a request. It does not ask before it posts the form of a
    /// foreign page, so such a request is refused here.
    static func checkOrigin(of request: Request) throws(APIProblem) {
        guard let origin = request.headers[.origin] else { return }
        let place = origin.firstRange(of: "://").map { String(origin[$0.upperBound...]) }
        guard origin != "null", place == request.head.authority else {
            throw APIProblem(.foreignPage, "pages of other origins may not use this API")
        }
    }

    static func checkHost(of request: Request) throws(APIProblem) {
        guard APIAccess.namesThisHost(request.head.authority) else {
            throw APIProblem(
                .foreignPage,
                "without a token this API answers to localhost, 127.0.0.1 and [::1] alone; use one of these names, "
                    + "or set notifier.token")
        }
    }

    private func admit(_ request: Request) throws(APIProblem) {
        try Self.checkOrigin(of: request)
        switch access {
        case .loopback: try Self.checkHost(of: request)
        case .token(let token):
            guard APIAccess.isToken(token, request.headers[.authorization]) else {
                var problem = APIProblem(
                    .notAuthenticated, "send Authorization: Bearer with the token of notifier.token")
                problem.headers[.wwwAuthenticate] = "Bearer realm=\"longshore\""
                throw problem
            }
        }
    }

    private func missing(_ request: Request) -> APIProblem {
        let path = request.uri.path
        if openPaths.contains(path) { return .methodNotAllowed(request.method.rawValue, allowed: ["GET"]) }
        // A path that names the word itself (`/replay`) goes before one with a name in its place (`/{id}`).
        let exact = routes.filter { $0.path == path }
        let methods = (exact.isEmpty ? routes.filter { $0.matches(path) } : exact).map(\.method.rawValue)
        guard methods.isEmpty else {
            return .methodNotAllowed(request.method.rawValue, allowed: Set(methods).sorted())
        }
        return APIProblem(.notFound, "no such path; /openapi.yaml lists those that there are")
    }
}
