/// How connections to a server are made. Destinations with the same route share their connections.
public struct HTTPRoute: Hashable, Sendable {
    /// The URL of an HTTP proxy, such as `http://proxy.example:3128`; nil: none.
    public var proxy: String?
    /// nil is 10.
    public var connectSeconds: Double?

    public init(proxy: String? = nil, connectSeconds: Double? = nil) {
        self.proxy = proxy
        self.connectSeconds = connectSeconds
    }

    init(_ base: String, _ settings: Settings) {
        self.init(
            proxy: settings.text("\(base).proxy"), connectSeconds: settings.seconds("\(base).connectTimeout"))
    }
}
