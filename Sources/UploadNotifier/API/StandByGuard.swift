public import Hummingbird

/// Answers in the place of the HTTP API while the notifier has no ledger.
public struct StandByGuard: RouterMiddleware {
    public typealias Context = APIRequestContext

    /// What the process answers for itself.
    private let openPaths: Set<String>
    private let obstacle: @Sendable () -> LedgerObstacle

    public init(openPaths: Set<String>, obstacle: @escaping @Sendable () -> LedgerObstacle) {
        self.openPaths = openPaths
        self.obstacle = obstacle
    }

    public func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        if openPaths.contains(request.uri.path) { return try await next(request, context) }
        switch obstacle() {
        case .taken:
            var problem = APIProblem(
                .standingBy,
                "this notifier stands by: another process of its host has the ledger and answers; ask that one, at the "
                    + "address of its notifier.http")
            problem.headers[.retryAfter] = "5"
            return problem.response
        case .failed(let error): return APIProblem(error).response
        }
    }
}
