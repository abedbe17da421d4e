/// Where a program's HTTP server listens: `HOST:PORT`, `[::1]:PORT`, or `off`.
public enum HTTPAddress: Hashable, Sendable, CustomStringConvertible {
    case off
    /// Port 0 takes any free one.
    case listen(host: String, port: Int)

    public init?(_ text: String) {
        if text == "off" {
            self = .off
            return
        }
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            return nil
        }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty else { return nil }
        self = .listen(host: String(host), port: Int(port))
    }

    public var description: String {
        switch self {
        case .off: "off"
        case .listen(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        }
    }
}
