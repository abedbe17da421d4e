public import Foundation
public import Uploads

/// A source of credentials. It stores none: `CredentialsCache` decides when to ask it.
public protocol AWSCredentialsProvider: Sendable {
    /// The place where the source looks, as a noun for messages, such as `the environment (AWS_ACCESS_KEY_ID)`. Never a secret.
    var place: String { get }

    /// How often to read credentials without a known end again, in seconds: for sources such as files, which cost almost nothing and may
    /// change at any time. If nil, they are read again only after the server rejected them.
    var rereadSeconds: TimeInterval? { get }

    /// Reads the credentials again. Returns within a time limit of its own.
    /// - Returns: nil when this source has none, so that the next source may be asked.
    /// - Throws: `misconfigured`, `networkFailure`, `serverFailure`, `rateLimited`, `accessDenied`, `wrongCredentials` or
    ///   `invalidResponse` when the source exists but does not give valid credentials. The search then ends: the next source could belong
    ///   to another account.
    func load() async throws(UploadError) -> AWSCredentials?
}

extension AWSCredentialsProvider {
    public var rereadSeconds: TimeInterval? { nil }
}
