import Foundation
public import Hummingbird
public import Logging
import NIOCore
import NIOFoundationCompat
import Synchronization
public import Uploads

/// The HTTP API under `/v1`: what the ledger knows, and what operators decide. It is described at `/openapi.yaml`. At `/`
/// stands the dashboard, for people.
///
/// Nothing that it answers holds a secret, the query of a URL, inline bytes, or what a destination needs to go on with
/// an upload (the state of a session may be a credential).
public final class NotifierAPI: Sendable {
    /// Most bytes of a request's body: 256 KiB.
    public static let bodyBytesMaximum = 256 << 10
    /// Most bytes of a request's headers: 16 KiB.
    public static let headerBytesMaximum = 16 << 10
    /// How long a request may take, the wait for an order's answer and backups of the ledger apart: 15 s.
    public static let requestSecondsMaximum = 15.0
    /// Most connections at once.
    public static let connectionsMaximum = 512

    public let access: APIAccess
    let ledger: any LedgerQueries
    let keeper: any LedgerBackup
    let operations: any BrokerOperations
    let history: any DeliveryHistory
    let delegates: DelegateManager
    /// Those that the configuration names.
    let destinations: @Sendable () -> [DestinationSummary]
    let dashboard: Dashboard
    let progress: LatestProgress
    let streaming: EventStreamLimits
    let clock: NotifierClock
    let logger: Logger
    let readers = Mutex(0)
    let isBackingUp = Mutex(false)

    /// - Parameter progress: what is told of running jobs.
    public init(
        access: APIAccess, ledger: any LedgerQueries & LedgerBackup, history: any DeliveryHistory,
        operations: any BrokerOperations,
        delegates: DelegateManager, destinations: @escaping @Sendable () -> [DestinationSummary],
        progress: LatestProgress = LatestProgress(), streaming: EventStreamLimits = EventStreamLimits(),
        clock: NotifierClock = .system, logger: Logger
    ) {
        self.access = access
        self.ledger = ledger
        keeper = ledger
        self.operations = operations
        self.history = history
        self.delegates = delegates
        self.destinations = destinations
        dashboard = Dashboard(access: access)
        self.progress = progress
        self.streaming = streaming
        self.clock = clock
        self.logger = logger
    }

    var routes: [APIRoute] {
        jobRoutes + orderRoutes + lineRoutes + queueRoutes + delegateRoutes + registrationRoutes + deliveryRoutes
            + deadLetterRoutes + destinationRoutes + eventRoutes + ledgerRoutes
            + [
                APIRoute(.get, "/openapi.yaml") { _ in
                    .text(OpenAPIDescription.yaml, type: "application/yaml")
                }
            ]
    }

    /// Adds the API and the dashboard to a router. What is added to the router afterwards is guarded as well, but for `openPaths`.
    /// - Parameter openPaths: what anybody may ask.
    public func add(to router: Router<APIRequestContext>, openPaths: Set<String> = []) {
        let pages = router.group()
        pages.add(
            middleware: DashboardGuard(
                access: access, dashboard: dashboard, openPaths: Self.dashboardOpenPaths, clock: clock))
        for route in dashboardRoutes {
            pages.on(RouterPath(route.path), method: route.method) { request, context in
                try await Self.serve(route, request, context)
            }
        }
        let routes = routes
        router.add(middleware: APIGuard(access: access, routes: routes + dashboardRoutes, openPaths: openPaths))
        for route in routes {
            router.on(RouterPath(route.path), method: route.method) { request, context in
                try await Self.serve(route, request, context)
            }
        }
    }

    private static func serve(
        _ route: APIRoute, _ request: Request, _ context: APIRequestContext
    ) async throws -> Response {
        var asked = APIRequest()
        asked.query = try APIRequest.query(request.uri.query, known: route.query)
        for name in route.parameters { asked.parameters[name] = context.parameters.get(name) }
        asked.headers = request.headers
        asked.contentType = request.headers[.contentType]
        asked.lastEventID = HTTPFields.Element.Name("Last-Event-ID").flatMap { request.headers[$0] }
        asked.context = context
        let wait = try asked.integer("wait", in: 0...30) ?? 10
        let limit = route.secondsMaximum + (route.query.contains("wait") ? Double(wait) : 0)
        do {
            let (body, asked) = (request.body, asked)
            let answer = try await withTimeLimit(limit) {
                var asked = asked
                do {
                    asked.body = Data(buffer: try await body.collect(upTo: Self.bodyBytesMaximum))
                } catch {
                    throw Self.problem(ofBody: error)
                }
                return try await route.handle(asked)
            }
            return try answer.make()
        } catch is TimeLimitExceeded {
            var problem = APIProblem(.unavailable, "this took longer than \(Int(limit)) s; try again in a moment")
            problem.headers[.retryAfter] = "5"
            throw problem
        } catch let problems as DefinitionProblems {
            throw APIProblem(problems)
        } catch let error as UploadError {
            throw APIProblem(error)
        }
    }

    private static func problem(ofBody error: any Error) -> any Error {
        if error is CancellationError { return error }
        guard error is NIOTooManyBytesError else {
            return APIProblem.invalid("the body breaks off, or is not framed as HTTP wants it")
        }
        return APIProblem(.contentTooLarge, "the body is larger than \(bodyBytesMaximum) bytes; send less at once")
    }
}
