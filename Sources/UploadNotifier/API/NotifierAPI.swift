import Foundation
public import Hummingbird
public import Logging
import NIOCore
import NIOFoundationCompat
import Synchronization
public import Uploads

/// The HTTP API under `/v1`: it shows the ledger's records, and takes the operators' orders. `/openapi.yaml` describes
/// it. The dashboard, for people, is at `/`.
///
/// No answer holds a secret, the query of a URL, inline bytes, or the state of an upload session, which may be a
/// credential.
public final class NotifierAPI: Sendable {
    /// The most bytes of a request's body: 256 KiB.
    public static let bodyBytesMaximum = 256 << 10
    /// The most bytes of a request's headers: 16 KiB.
    public static let headerBytesMaximum = 16 << 10
    /// Seconds that a request may take: 15. The wait for an order's answer comes on top; some routes set a longer time.
    public static let requestSecondsMaximum = 15.0
    /// The most connections at once.
    public static let connectionsMaximum = 512

    let access: CurrentAccess
    let ledger: any LedgerQueries
    let log: any AuditLog
    let keeper: any LedgerBackup
    let operations: any BrokerOperations
    let history: any DeliveryHistory
    let delegates: DelegateManager
    /// The destinations of the configuration.
    let destinations: @Sendable () -> [DestinationSummary]
    let dashboard: Dashboard
    let progress: LatestProgress
    /// The paces of the queues, which are known only while this service runs: the program has to run it.
    public let paces: QueuePaces
    let streaming: EventStreamLimits
    let clock: NotifierClock
    let logger: Logger
    let readers = Mutex(0)
    let isBackingUp = Mutex(false)

    /// - Parameter progress: the progress of running jobs, and the workers' reports about destinations and themselves.
    public init(
        access: APIAccess, ledger: any LedgerQueries & LedgerBackup & AuditLog, history: any DeliveryHistory,
        operations: any BrokerOperations,
        delegates: DelegateManager, destinations: @escaping @Sendable () -> [DestinationSummary],
        progress: LatestProgress = LatestProgress(), streaming: EventStreamLimits = EventStreamLimits(),
        clock: NotifierClock = .system, logger: Logger
    ) {
        self.access = CurrentAccess(access)
        self.ledger = ledger
        log = ledger
        keeper = ledger
        self.operations = operations
        self.history = history
        self.delegates = delegates
        self.destinations = destinations
        dashboard = Dashboard()
        self.progress = progress
        paces = QueuePaces(ledger: ledger, progress: progress, clock: clock)
        self.streaming = streaming
        self.clock = clock
        self.logger = logger
    }

    /// Admits other callers from now on. Sessions of tokens that are valid no more end.
    public func admit(_ access: APIAccess) { self.access.replace(with: access) }

    var routes: [APIRoute] {
        jobRoutes + enqueueRoutes + orderRoutes + failureRoutes + historyRoutes + lineRoutes + queueRoutes
            + delegateRoutes + registrationRoutes + deliveryRoutes + deadLetterRoutes + destinationRoutes + workerRoutes
            + eventRoutes + ledgerRoutes + auditRoutes
            + [
                APIRoute(.get, "/openapi.yaml") { _ in
                    .text(OpenAPIDescription.yaml, type: "application/yaml")
                }
            ]
    }

    /// Adds the API and the dashboard to a router. Routes that are added to it later are guarded as well, but for
    /// `openPaths`.
    /// - Parameter openPaths: paths that need no permission.
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
        asked.authority = request.head.authority
        asked.contentType = request.headers[.contentType]
        asked.lastEventID = HTTPFields.Element.Name("Last-Event-ID").flatMap { request.headers[$0] }
        asked.context = context
        try context.caller.check(route.role)
        if !route.isOfQueues { try context.caller.checkWholePool() }
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
