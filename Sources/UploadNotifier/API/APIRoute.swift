import Hummingbird

/// One operation of the API. The router is made from the list of all routes, and a test compares that list with
/// `openapi.yaml`.
struct APIRoute: Sendable {
    let method: HTTPRequest.Method
    /// With names in braces: `/v1/jobs/{id}`.
    let path: String
    /// The query's parameters. A request with any other is refused: with a mistyped filter it would match everything.
    let query: Set<String>
    /// Seconds that the handler may take, besides a `wait` for the notifier's decision.
    let secondsMaximum: Double
    /// The role that a caller needs.
    let role: APIRole
    /// Whether a caller that is limited to some transfer queues may ask: the handler then checks which jobs and queues
    /// the request concerns.
    let isOfQueues: Bool
    let handle: @Sendable (APIRequest) async throws -> APIAnswer

    /// - Parameters:
    ///   - role: nil: `read` for GET, else `operate`.
    ///   - isOfQueues: nil: only for GET.
    init(
        _ method: HTTPRequest.Method, _ path: String, query: Set<String> = [],
        secondsMaximum: Double = NotifierAPI.requestSecondsMaximum, role: APIRole? = nil, isOfQueues: Bool? = nil,
        _ handle: @escaping @Sendable (APIRequest) async throws -> APIAnswer
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.secondsMaximum = secondsMaximum
        self.role = role ?? (method == .get ? .read : .operate)
        self.isOfQueues = isOfQueues ?? (method == .get)
        self.handle = handle
    }

    /// Whether this route serves a request's path; the method does not matter.
    func matches(_ path: String) -> Bool {
        let own = self.path.split(separator: "/")
        let parts = path.split(separator: "/")
        return own.count == parts.count && zip(own, parts).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
    }

    var parameters: [String] {
        path.split(separator: "/").filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) }
    }
}
