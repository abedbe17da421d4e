public import AsyncHTTPClient
public import Foundation
public import Uploads

/// Credentials from a profile of `~/.aws/credentials` and `~/.aws/config`: `default`, or the one that `AWS_PROFILE` names.
/// `AWS_SHARED_CREDENTIALS_FILE` and `AWS_CONFIG_FILE` may name other files. The files are read again every second while the credentials
/// are used.
///
/// A profile has an access key, or a role with a web identity. A profile that needs another program or profile (`credential_process`,
/// `source_profile`, `credential_source`, SSO) is an error: skipping it would use the credentials of another account.
public struct ProfileCredentials: AWSCredentialsProvider {
    private let environment: [String: String]
    private let region: String?
    private let client: HTTPClient

    /// - Parameters:
    ///   - region: the region of the security token service, if environment and profile name none.
    ///   - client: a client without a proxy and without redirects.
    public init(environment: [String: String], region: String? = nil, client: HTTPClient) {
        self.environment = environment
        self.region = region
        self.client = client
    }

    public var place: String { "the AWS profile \(name) (\(paths.joined(separator: ", ")))" }
    public var rereadSeconds: TimeInterval? { 1 }

    private var chosen: String? { environment.given("AWS_PROFILE") }
    private var name: String { chosen ?? "default" }

    /// The credentials file comes first: its properties take precedence.
    private var paths: [String] {
        [("AWS_SHARED_CREDENTIALS_FILE", "~/.aws/credentials"), ("AWS_CONFIG_FILE", "~/.aws/config")].map {
            let path = environment.given($0.0) ?? $0.1
            guard path.hasPrefix("~/"), let home = environment.given("HOME") else { return path }
            return home + path.dropFirst()
        }
    }

    public func load() async throws(UploadError) -> AWSCredentials? {
        guard let profile = try read() else {
            guard let chosen else { return nil }
            throw UploadError(
                .misconfigured,
                "AWS_PROFILE names \(chosen), which is in neither \(paths.joined(separator: " nor ")): add it there, or correct AWS_PROFILE",
                retry: .afterBackoff)
        }
        if let role = profile.given("role_arn") {
            guard let file = profile.given("web_identity_token_file") else {
                throw unsupported("role_arn without web_identity_token_file")
            }
            return try await WebIdentityRole(
                arn: role, tokenFile: file, session: profile.given("role_session_name"),
                endpoint: STSEndpoint(environment, region: profile.given("region") ?? region), client: client
            ).assume()
        }
        let credentials = try AWSCredentials.checked(
            id: profile["aws_access_key_id"], secret: profile["aws_secret_access_key"],
            token: profile["aws_session_token"], from: place, retry: .afterBackoff)
        if let credentials { return credentials }
        for name in ["credential_process", "sso_session", "sso_start_url", "source_profile", "credential_source"]
        where profile.given(name) != nil {
            throw unsupported(name)
        }
        return nil
    }

    /// - Returns: the profile's properties from both files; nil when neither has the profile.
    private func read() throws(UploadError) -> [String: String]? {
        var found: [String: String]?
        for (path, isConfig) in zip(paths, [false, true]) {
            guard let text = try SmallFile.read(path) else { continue }
            if let properties = SharedConfigFile(text, isConfig: isConfig).profiles[name] {
                found = (found ?? [:]).merging(properties) { first, _ in first }
            }
        }
        return found
    }

    private func unsupported(_ property: String) -> UploadError {
        UploadError(
            .misconfigured,
            "\(place) wants \(property), which is not supported: give the profile an access key or a web identity, or name the key in the destination (accessKeyId, secretAccessKey); short-lived keys of `aws configure export-credentials` can be written to a file, which is read again when it changes",
            retry: .afterBackoff)
    }
}

extension [String: String] {
    /// The value of a variable that is set and not empty: an empty one counts as unset.
    func given(_ name: String) -> String? { self[name].flatMap { $0.isEmpty ? nil : $0 } }
}
