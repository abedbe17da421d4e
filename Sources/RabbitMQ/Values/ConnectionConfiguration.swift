/// The broker's addresses, the login, and the time limits.
public struct ConnectionConfiguration: Sendable {
    /// Tried in order; the next one when one fails. Never empty.
    public var addresses: [BrokerAddress]
    public var virtualHost: String
    public var user: String
    public var password: String
    /// For the addresses with TLS; `nil` trusts the system's authorities and verifies the host name.
    public var tls: TLSConfiguration?
    /// A silence of twice this length counts as a lost connection; 1 s or more, in whole seconds. The broker may ask
    /// for less.
    public var heartbeat: Duration
    /// The time limit for connecting to one address, and again for logging in there.
    public var connectTimeout: Duration
    public var reconnectDelay: ReconnectDelay
    /// Names the connection in the broker's lists.
    public var name: String

    /// - Throws: `.invalidArgument` if there is no address.
    public init(
        addresses: [BrokerAddress], virtualHost: String = "/", user: String = "guest", password: String = "guest",
        tls: TLSConfiguration? = nil
    ) throws(RabbitMQError) {
        guard !addresses.isEmpty else {
            throw RabbitMQError(.invalidArgument, "no broker address is given: name at least one")
        }
        self.addresses = addresses
        self.virtualHost = virtualHost
        self.user = user
        self.password = password
        self.tls = tls
        self.heartbeat = .seconds(20)
        self.connectTimeout = .seconds(5)
        self.reconnectDelay = ReconnectDelay()
        self.name = "longshore"
    }
}

extension ConnectionConfiguration: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Safe to log: holds no password.
    public var description: String {
        "\(addresses.map(\.description).joined(separator: ", ")) as \(user) on \(virtualHost)"
    }

    public var debugDescription: String { description }

    /// Keeps `dump` and string interpolation from showing the password.
    public var customMirror: Mirror {
        Mirror(self, children: ["addresses": addresses, "virtualHost": virtualHost, "user": user])
    }
}
