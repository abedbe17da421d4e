public import Uploads

/// Credentials that are given once and do not change.
public struct StaticCredentials: AWSCredentialsProvider {
    private let credentials: AWSCredentials

    public init(_ credentials: AWSCredentials) { self.credentials = credentials }

    public var place: String { "the configured access key" }

    public func load() async throws(UploadError) -> AWSCredentials? { credentials }
}
