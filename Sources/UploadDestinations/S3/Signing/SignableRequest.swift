import NIOHTTP1

/// The parts of a request that a signature covers, in the form in which they are sent.
struct SignableRequest: Equatable, Sendable {
    /// A name and a value of the query, both decoded. A parameter without a value is sent as `name=`.
    struct Parameter: Hashable, Sendable {
        var name: String
        var value: String?

        init(_ name: String, _ value: String? = nil) {
            self.name = name
            self.value = value
        }
    }

    /// In upper case.
    var method: String
    /// The value of `Host`: the name, and the port unless it is the scheme's default. A `Host` among the headers is ignored.
    var host: String
    /// The path from the first `/`, percent-encoded in the form in which it is sent and signed: S3 neither normalises it nor encodes it again.
    var path: String
    /// Sent in the form that `S3Encoding.query` writes.
    var query: [Parameter]
    var headers: HTTPHeaders

    init(
        method: String, host: String, path: String, query: [Parameter] = [], headers: HTTPHeaders = HTTPHeaders()
    ) {
        self.method = method
        self.host = host
        self.path = path
        self.query = query
        self.headers = headers
    }
}
