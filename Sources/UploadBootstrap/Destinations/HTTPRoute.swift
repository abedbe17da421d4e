/// How connections to a server are made. Destinations with the same route share their connections.
struct HTTPRoute: Hashable, Sendable {
    /// The URL of an HTTP proxy, such as `http://proxy.example:3128`; nil: none.
    var proxy: String?
    /// nil is 10.
    var connectSeconds: Double?

    init(proxy: String? = nil, connectSeconds: Double? = nil) {
        self.proxy = proxy
        self.connectSeconds = connectSeconds
    }

    init(_ section: SettingsSection) {
        self.init(proxy: section.text("proxy"), connectSeconds: section.seconds("connectTimeout"))
    }
}
