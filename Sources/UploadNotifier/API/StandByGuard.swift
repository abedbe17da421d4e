public import Hummingbird

/// Answers in the place of the HTTP API and the dashboard while the notifier is not at work with its ledger.
public struct StandByGuard: RouterMiddleware {
    public typealias Context = APIRequestContext

    /// What the process answers for itself.
    private let openPaths: Set<String>
    private let obstacle: @Sendable () -> LedgerObstacle?

    /// - Parameter obstacle: nil while there is none: then the API answers for itself.
    public init(openPaths: Set<String>, obstacle: @escaping @Sendable () -> LedgerObstacle?) {
        self.openPaths = openPaths
        self.obstacle = obstacle
    }

    public func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard !openPaths.contains(request.uri.path), let obstacle = obstacle() else {
            return try await next(request, context)
        }
        if StandInPage.paths.contains(request.uri.path) { return StandInPage.response(obstacle) }
        switch obstacle {
        case .taken:
            var problem = APIProblem(
                .standingBy,
                "this notifier stands by: another process of its host has the ledger and answers; ask that one, at the "
                    + "address of its notifier.http")
            problem.headers[.retryAfter] = "5"
            return problem.response
        case .failed(let error): return APIProblem(error).response
        case .foreign(let reason):
            var problem = APIProblem(.standingBy, reason)
            problem.headers[.retryAfter] = "5"
            return problem.response
        }
    }
}
