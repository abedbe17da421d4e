import Hummingbird

/// One operation of the API: all routes are a list, which the router is made from and the description is held against.
struct APIRoute: Sendable {
    let method: HTTPRequest.Method
    /// With names in braces: `/v1/jobs/{id}`.
    let path: String
    /// The query's parameters; any other is refused, for a mistyped filter would match everything.
    let query: Set<String>
    /// How long the handler may take, a wait for an answer apart.
    let secondsMaximum: Double
    let handle: @Sendable (APIRequest) async throws -> APIAnswer

    init(
        _ method: HTTPRequest.Method, _ path: String, query: Set<String> = [],
        secondsMaximum: Double = NotifierAPI.requestSecondsMaximum,
        _ handle: @escaping @Sendable (APIRequest) async throws -> APIAnswer
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.secondsMaximum = secondsMaximum
        self.handle = handle
    }

    /// Whether a path of a request is of this route, whatever the method.
    func matches(_ path: String) -> Bool {
        let own = self.path.split(separator: "/")
        let parts = path.split(separator: "/")
        return own.count == parts.count && zip(own, parts).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
    }

    var parameters: [String] {
        path.split(separator: "/").filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) }
    }
}
