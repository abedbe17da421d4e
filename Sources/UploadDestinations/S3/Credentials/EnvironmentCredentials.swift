public import Uploads

/// Credentials from `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`.
public struct EnvironmentCredentials: AWSCredentialsProvider {
    private let environment: [String: String]

    public init(environment: [String: String]) { self.environment = environment }

    public var place: String { "the environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY)" }

    public func load() async throws(UploadError) -> AWSCredentials? {
        try AWSCredentials.checked(
            id: environment["AWS_ACCESS_KEY_ID"], secret: environment["AWS_SECRET_ACCESS_KEY"],
            token: environment["AWS_SESSION_TOKEN"], from: place)
    }
}
