public import AsyncHTTPClient
import Foundation
import Glibc
import NIOHTTP1
public import Uploads

/// Credentials from the agent of ECS, Fargate or EKS Pod Identity ("Container credential provider", AWS SDKs and Tools Reference Guide):
/// `AWS_CONTAINER_CREDENTIALS_RELATIVE_URI` or `AWS_CONTAINER_CREDENTIALS_FULL_URI`, with the token of
/// `AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE` or `AWS_CONTAINER_AUTHORIZATION_TOKEN`.
public struct ContainerCredentials: AWSCredentialsProvider {
    /// Time limit of each try.
    static let limitSeconds: TimeInterval = 5
    /// The agents of ECS and EKS. They are trusted without TLS, like loopback addresses.
    private static let trustedHosts: Set<String> = ["169.254.170.2", "169.254.170.23", "fd00:ec2::23", "localhost"]

    private let environment: [String: String]
    private let client: HTTPClient
    private let agent: String

    /// - Parameter client: a client without a proxy and without redirects.
    public init(environment: [String: String], client: HTTPClient) {
        self.init(environment: environment, client: client, agent: "http://169.254.170.2")
    }

    /// - Parameter agent: the base of a relative URI.
    init(environment: [String: String], client: HTTPClient, agent: String) {
        self.environment = environment
        self.client = client
        self.agent = agent
    }

    public var place: String { "the container's credentials (AWS_CONTAINER_CREDENTIALS_FULL_URI, …_RELATIVE_URI)" }

    public func load() async throws(UploadError) -> AWSCredentials? {
        guard let url = try url() else { return nil }
        var headers: HTTPHeaders = ["accept": "application/json"]
        if let token = try token() { headers.add(name: "authorization", value: token) }
        let exchange = CredentialsExchange(client: client, place: place)
        let answer = try await exchange.answer(to: .GET, url, headers: headers, withinSeconds: Self.limitSeconds)
        return try IssuedCredentials.credentials(in: answer, of: exchange)
    }

    private func url() throws(UploadError) -> String? {
        if let relative = environment.given("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI") {
            // Without the slash the text would become part of the host's name.
            guard relative.hasPrefix("/") else {
                throw UploadError(.misconfigured, "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI has to begin with a slash")
            }
            return agent + relative
        }
        guard let full = environment.given("AWS_CONTAINER_CREDENTIALS_FULL_URI") else { return nil }
        guard let url = URL(string: full), let host = url.host(), !host.isEmpty, url.hasValidPort,
            url.scheme == "https" || (url.scheme == "http" && Self.isTrusted(host))
        else {
            throw UploadError(
                .misconfigured,
                "AWS_CONTAINER_CREDENTIALS_FULL_URI has to be https, or http on loopback or at the agent of ECS or EKS: other hosts may be asked for credentials only with TLS"
            )
        }
        return full
    }

    /// Whether this host may be asked for credentials without TLS. Names are not resolved: their address may change.
    static func isTrusted(_ host: String) -> Bool {
        let host = host.trimmingCharacters(in: ["[", "]"]).lowercased()
        if trustedHosts.contains(host) { return true }
        var four = in_addr()
        if inet_pton(AF_INET, host, &four) == 1 { return UInt32(bigEndian: four.s_addr) >> 24 == 127 }
        var six = in6_addr()
        guard inet_pton(AF_INET6, host, &six) == 1 else { return false }
        return withUnsafeBytes(of: six) { Array($0) } == [UInt8](repeating: 0, count: 15) + [1]
    }

    /// The token. The file comes first, because its contents are renewed.
    private func token() throws(UploadError) -> String? {
        var token = environment.given("AWS_CONTAINER_AUTHORIZATION_TOKEN")
        if let file = environment.given("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE") {
            token = try SmallFile.read(file)?.trimmingCharacters(in: .newlines)
            guard token?.isEmpty == false else {
                throw UploadError(
                    .misconfigured,
                    "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE names \(file), which is missing or empty: check that it is mounted",
                    retry: .afterBackoff)
            }
        }
        guard token?.contains(where: \.isNewline) != true else {
            throw UploadError(
                .misconfigured, "the authorization token of the container's credentials holds a line break: correct it",
                retry: .afterBackoff)
        }
        return token
    }
}
