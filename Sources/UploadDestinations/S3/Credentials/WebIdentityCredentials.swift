public import AsyncHTTPClient
public import Uploads

/// Credentials from `AWS_WEB_IDENTITY_TOKEN_FILE` and `AWS_ROLE_ARN`, as Kubernetes service accounts on EKS have them;
/// `AWS_ROLE_SESSION_NAME` is optional.
public struct WebIdentityCredentials: AWSCredentialsProvider {
    private let environment: [String: String]
    private let region: String?
    private let client: HTTPClient

    /// - Parameters:
    ///   - region: the region of the security token service, if the environment names none.
    ///   - client: a client without redirects, and without a proxy that is not meant for it.
    public init(environment: [String: String], region: String? = nil, client: HTTPClient) {
        self.environment = environment
        self.region = region
        self.client = client
    }

    public var place: String { "a web identity (AWS_WEB_IDENTITY_TOKEN_FILE, AWS_ROLE_ARN)" }

    public func load() async throws(UploadError) -> AWSCredentials? {
        guard let file = environment.given("AWS_WEB_IDENTITY_TOKEN_FILE") else { return nil }
        guard let role = environment.given("AWS_ROLE_ARN") else {
            throw UploadError(
                .misconfigured,
                "AWS_WEB_IDENTITY_TOKEN_FILE is set, but AWS_ROLE_ARN is not: set both, or neither")
        }
        return try await WebIdentityRole(
            arn: role, tokenFile: file, session: environment.given("AWS_ROLE_SESSION_NAME"),
            endpoint: STSEndpoint(environment, region: region), client: client
        ).assume()
    }
}
