import Foundation
import Hummingbird
import Logging
import NIOCore

/// Admits the callers that may use the API, and turns every error into a problem.
struct APIGuard: RouterMiddleware {
    typealias Context = APIRequestContext

    let access: CurrentAccess
    let routes: [APIRoute]
    /// Paths that need no permission: whether the process lives.
    let openPaths: Set<String>

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            var context = context
            if !openPaths.contains(request.uri.path) {
                context.caller = try admit(request).connected(through: context.channel, request.headers)
            }
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

    private func admit(_ request: Request) throws(APIProblem) -> APICaller {
        try Self.checkOrigin(of: request)
        let access = access.value
        if case .loopback = access {
            try Self.checkHost(of: request)
            return APICaller(.api)
        }
        guard let token = access.token(request.headers[.authorization]) else {
            var problem = APIProblem(
                .notAuthenticated, "send Authorization: Bearer with a token of notifier.token or of tokens")
            problem.headers[.wwwAuthenticate] = "Bearer realm=\"longshore\""
            throw problem
        }
        return APICaller(token, .api)
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

extension APICaller {
    /// The caller with its address. Only a proxy on this host is believed for whom it forwards, and that is its last word: a
    /// client may send any list of its own.
    func connected(through channel: any Channel, _ headers: HTTPFields) -> APICaller {
        var caller = self
        caller.address = channel.remoteAddress?.ipAddress
        guard let address = caller.address, APIAccess.isLoopback(address),
            let list = HTTPFields.Element.Name("X-Forwarded-For").flatMap({ headers[values: $0].last }),
            let last = list.split(separator: ",").last?.trimmingCharacters(in: .whitespaces),
            (try? SocketAddress(ipAddress: last, port: 0)) != nil
        else { return caller }
        caller.forwardedFor = last
        return caller
    }

    /// The caller with the address of another one, who sent the same request.
    func connected(like other: APICaller) -> APICaller {
        var caller = self
        (caller.address, caller.forwardedFor) = (other.address, other.forwardedFor)
        return caller
    }
}
