extension ConnectionConfiguration {
    /// Reads `amqp://user:password@host:port/vhost` or `amqps://…`. Several URLs are hosts of one cluster: user,
    /// password and virtual host must not contradict each other. Missing parts are guest, guest, `/` and the standard
    /// port; in `…/` the empty name of the virtual host means `/`. All parts are percent-decoded.
    ///
    /// - Throws: `.invalidURL`, with a message that shows neither user nor password.
    public init(urls: [String]) throws(RabbitMQError) {
        guard !urls.isEmpty else {
            throw RabbitMQError(.invalidURL, "no broker URL is given: name at least one, as in \(Self.example)")
        }
        var parts: [BrokerURL] = []
        for (index, url) in urls.enumerated() {
            parts.append(try BrokerURL(url, which: urls.count == 1 ? "the broker URL" : "broker URL \(index + 1)"))
        }
        func one(_ name: String, _ value: (BrokerURL) -> String?) throws(RabbitMQError) -> String? {
            let values = Set(parts.compactMap(value))
            if values.count > 1 {
                throw RabbitMQError(
                    .invalidURL, "the broker URLs disagree about the \(name): they must be hosts of one cluster")
            }
            return values.first
        }
        try self.init(
            addresses: parts.map(\.address), virtualHost: one("virtual host", \.virtualHost) ?? "/",
            user: one("user", \.user) ?? "guest", password: one("password", \.password) ?? "guest")
    }

    static let example = "amqp://user:password@host:5672/vhost"
}
