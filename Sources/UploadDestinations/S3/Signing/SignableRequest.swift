import NIOHTTP1

/// A request as it goes over the wire, as far as a signature looks at it.
struct SignableRequest: Equatable, Sendable {
    /// A name and a value of the query, both decoded. Without a value it is sent as `name=`.
    struct Parameter: Hashable, Sendable {
        var name: String
        var value: String?

        init(_ name: String, _ value: String? = nil) {
            self.name = name
            self.value = value
        }
    }

    /// In capitals.
    var method: String
    /// What `Host` says: the name, and the port unless it is the scheme's own. A `Host` among the headers is not looked
    /// at.
    var host: String
    /// Percent-encoded as it is sent, from the first `/`. It is signed as it is: S3 neither normalises nor encodes it
    /// again.
    var path: String
    /// Sent as `S3Encoding.query` writes it.
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
