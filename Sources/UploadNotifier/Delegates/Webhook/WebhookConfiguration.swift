public import Foundation

/// A webhook: where it is, and the secrets that sign what it gets.
public struct WebhookConfiguration: Sendable {
    /// `http(s)://host[:port]/path`, without user and password.
    public var url: String
    /// `whsec_` and base64, one or more; while a key is changed, each signs. Never logged.
    public var secrets: [String]
    /// Seconds until an attempt without a complete answer has failed: 20.
    public var timeout: TimeInterval

    public init(url: String, secrets: [String], timeout: TimeInterval = 20) {
        self.url = url
        self.secrets = secrets
        self.timeout = timeout
    }
}
