/// The host and port of a broker.
public struct BrokerAddress: Hashable, Sendable, CustomStringConvertible {
    /// A host name or an IP address, without brackets.
    public var host: String
    /// 1...65535; by default 5672, or 5671 with TLS.
    public var port: Int
    /// Whether the connection is to be encrypted (`amqps`).
    public var isTLS: Bool

    public init(host: String, port: Int? = nil, isTLS: Bool = false) {
        self.host = host
        self.port = port ?? (isTLS ? 5671 : 5672)
        self.isTLS = isTLS
    }

    /// Safe to log.
    public var description: String {
        let shown = host.contains(":") ? "[\(host)]" : host
        return "\(isTLS ? "amqps" : "amqp")://\(shown):\(port)"
    }
}
