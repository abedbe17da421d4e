/// The server to which a connection leads: requests to the same origin can share connections.
struct HTTPOrigin: Hashable, Sendable {
    let isSecure: Bool
    /// A name or an address, without brackets.
    let host: String
    let port: Int

    /// - Parameter authority: a host, and its port where that is not the scheme's own: `s3.example:9000`, `[::1]:9000`.
    init?(scheme: String, authority: String) {
        isSecure = scheme == "https"
        var host = authority[...]
        var port: Int? = isSecure ? 443 : 80
        if let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") {
            host = authority[..<colon]
            port = Int(authority[authority.index(after: colon)...])
        }
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        guard let port, !host.isEmpty else { return nil }
        self.host = String(host)
        self.port = port
    }
}
