public import Foundation
public import Uploads

/// A source of credentials. It keeps none: `CredentialsCache` decides when to ask it.
public protocol AWSCredentialsProvider: Sendable {
    /// Where it looks, as a message names it: a noun, such as `the environment (AWS_ACCESS_KEY_ID)`. Never a secret.
    var place: String { get }

    /// How often credentials that do not say when they end are read again, in seconds: for sources that cost next to
    /// nothing and may change at any time, like files. Nil where that is done only when they are rejected.
    var rereadSeconds: TimeInterval? { get }

    /// Reads credentials afresh. Ends within a limit of its own.
    /// - Returns: nil when this source has none and the next one may be asked.
    /// - Throws: `misconfigured`, `networkFailure`, `serverFailure`, `rateLimited`, `accessDenied`, `wrongCredentials`
    ///   or `invalidResponse` when the source is there, but does not give what it should: to go on to the next one then
    ///   would act in another's name.
    func load() async throws(UploadError) -> AWSCredentials?
}

extension AWSCredentialsProvider {
    public var rereadSeconds: TimeInterval? { nil }
}
