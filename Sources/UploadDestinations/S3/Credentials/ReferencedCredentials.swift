public import Foundation
public import Uploads

/// Credentials from the environment or from files that the configuration names. They are read again every second while they are used, so
/// that a changed file takes effect without a restart.
public struct ReferencedCredentials: AWSCredentialsProvider {
    public let place: String
    private let read: @Sendable () throws(UploadError) -> AWSCredentials

    /// - Parameters:
    ///   - place: the reference in the configuration, as a message names it: `file:/run/secrets/photos`.
    ///   - load: reads the credentials. It is called often, so it must be fast.
    public init(
        place: String = "the configured access key", load: @escaping @Sendable () throws(UploadError) -> AWSCredentials
    ) {
        self.place = place
        read = load
    }

    public var rereadSeconds: TimeInterval? { 1 }

    public func load() async throws(UploadError) -> AWSCredentials? {
        let read = try read()
        return try AWSCredentials.checked(
            id: read.accessKeyID, secret: read.secretAccessKey, token: read.sessionToken, expiresAt: read.expiresAt,
            from: place)
    }
}
