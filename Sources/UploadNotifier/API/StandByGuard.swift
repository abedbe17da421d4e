public import Hummingbird

/// Answers instead of the HTTP API and the dashboard while the notifier does not work with its ledger.
public struct StandByGuard: RouterMiddleware {
    public typealias Context = APIRequestContext

    /// Paths that the process always answers itself, such as `/healthz`.
    private let openPaths: Set<String>
    private let obstacle: @Sendable () -> LedgerObstacle?

    /// - Parameter obstacle: why the notifier does not work; nil while it works, so that the API answers.
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
        // It answers from the ledger.
        case .divided: return try await next(request, context)
        case .failed(let error): return APIProblem(error).response
        case .foreign(let reason):
            var problem = APIProblem(.standingBy, reason)
            problem.headers[.retryAfter] = "5"
            return problem.response
        }
    }
}
