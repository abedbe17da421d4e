public import AsyncHTTPClient
public import Foundation
import Synchronization
public import Uploads

/// Sources in the order in which they are asked. The first source with credentials gives them. A source that exists but fails ends the
/// search, so that no request is signed with the credentials of another account.
public final class CredentialsChain: AWSCredentialsProvider {
    private let providers: [any AWSCredentialsProvider]
    /// The index of the source that gave the last credentials.
    private let giver = Mutex<Int?>(nil)

    public init(_ providers: [any AWSCredentialsProvider]) { self.providers = providers }

    /// The order of the AWS SDKs ("Credential provider chain", AWS SDKs and Tools Reference Guide): environment, web
    /// identity, profile, container, instance.
    /// - Parameters:
    ///   - region: the region of the security token service, if environment and profile name none.
    ///   - client: a client without a proxy and without redirects.
    public static func aws(
        environment: [String: String] = ProcessInfo.processInfo.environment, region: String? = nil, client: HTTPClient
    ) -> CredentialsChain {
        CredentialsChain([
            EnvironmentCredentials(environment: environment),
            WebIdentityCredentials(environment: environment, region: region, client: client),
            ProfileCredentials(environment: environment, region: region, client: client),
            ContainerCredentials(environment: environment, client: client),
            InstanceCredentials(environment: environment, client: client),
        ])
    }

    public var place: String { providers.map(\.place).joined(separator: "; ") }

    /// The interval of the source that gave the last credentials. The sources before it had none, which is equally cheap to find out.
    public var rereadSeconds: TimeInterval? { giver.withLock { $0 }.flatMap { providers[$0].rereadSeconds } }

    /// Never returns nil.
    /// - Throws: `notAuthenticated` when no source has credentials. A retry is worth it: another worker may have some, or a metadata
    ///   service may have been slow.
    public func load() async throws(UploadError) -> AWSCredentials? {
        for (index, provider) in providers.enumerated() {
            if let credentials = try await provider.load() {
                giver.withLock { $0 = index }
                return credentials
            }
        }
        throw UploadError(
            .notAuthenticated,
            "there are no credentials for S3; looked at: \(place). Set accessKeyId and secretAccessKey of the destination, or provide one of these",
            retry: .afterBackoff)
    }
}
