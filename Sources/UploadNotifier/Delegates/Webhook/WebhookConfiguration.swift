public import Foundation

/// A webhook: its URL, and the secrets that sign its requests.
public struct WebhookConfiguration: Hashable, Sendable {
    /// How an event becomes a request (CloudEvents HTTP binding, section 3).
    public enum Mode: String, CaseIterable, Sendable {
        /// The whole event is the body.
        case structured
        /// Its data is the body, its attributes are `ce-` headers.
        case binary
    }

    /// `http(s)://host[:port]/path`, without user and password.
    public var url: String
    /// One or more; while a key is being replaced, old and new keys both sign.
    public var secrets: [WebhookSecret]
    public var mode: Mode
    /// Seconds until an attempt without a complete answer has failed: 20.
    public var timeout: TimeInterval
    /// Authorities (PEM) one of which must have signed the server's certificate; nil for those that the system trusts.
    public var authorities: Data?

    /// - Parameter secrets: `whsec_` and base64.
    public init(url: String, secrets: [String], mode: Mode = .structured, timeout: TimeInterval = 20) {
        self.url = url
        self.secrets = secrets.map { WebhookSecret($0) }
        self.mode = mode
        self.timeout = timeout
    }
}
