/// User and password for Digest authentication (RFC 7616).
public struct HTTPDigestLogin: Hashable, Sendable {
    public var user: String
    /// Never shown, and never sent.
    public var password: String

    public init(user: String, password: String) {
        self.user = user
        self.password = password
    }
}
