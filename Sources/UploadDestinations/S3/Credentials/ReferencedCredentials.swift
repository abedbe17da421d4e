public import Foundation
public import Uploads

/// Credentials that the configuration refers to, in the environment or in files. They are read again every second while
/// they are used, so that a file that changes takes effect without a restart.
public struct ReferencedCredentials: AWSCredentialsProvider {
    public let place: String
    private let read: @Sendable () throws(UploadError) -> AWSCredentials

    /// - Parameters:
    ///   - place: what the configuration says, as a message names it: `file:/run/secrets/photos`.
    ///   - load: reads what is referred to; called often, so it does nothing that takes long.
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
