public import AsyncHTTPClient
import Foundation
import NIOHTTP1
import Synchronization
public import Uploads

/// Credentials that the metadata service of an EC2 instance issues for the instance's role. Only version 2 of the service is used ("Use
/// the Instance Metadata Service", Amazon EC2 User Guide). The source obeys `AWS_EC2_METADATA_DISABLED`,
/// `AWS_EC2_METADATA_SERVICE_ENDPOINT` and `AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE`.
///
/// If no service answers, there is none, and so no credentials. Once the service has answered, silence is a failure.
public final class InstanceCredentials: AWSCredentialsProvider {
    /// How long a session of the service lasts, in seconds: long enough for the two requests that need it.
    private static let sessionSeconds = "60"

    private let environment: [String: String]
    private let client: HTTPClient
    private let limitSeconds: TimeInterval
    private let hasAnswered = Mutex(false)

    /// - Parameter client: a client without a proxy and without redirects.
    public convenience init(environment: [String: String], client: HTTPClient) {
        // The service is one hop away and answers in milliseconds; on other machines the worker waits this long in vain.
        self.init(environment: environment, client: client, limitSeconds: 1)
    }

    /// - Parameter limitSeconds: the limit for each try of each request.
    init(environment: [String: String], client: HTTPClient, limitSeconds: TimeInterval) {
        self.environment = environment
        self.client = client
        self.limitSeconds = limitSeconds
    }

    public var place: String {
        isDisabled
            ? "the instance's metadata (turned off by AWS_EC2_METADATA_DISABLED)"
            : "the instance's metadata (\(endpoint))"
    }

    private var isDisabled: Bool { environment["AWS_EC2_METADATA_DISABLED"]?.lowercased() == "true" }

    private var endpoint: String {
        if let given = environment.given("AWS_EC2_METADATA_SERVICE_ENDPOINT") {
            return given.hasSuffix("/") ? String(given.dropLast()) : given
        }
        let mode = environment["AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE"]?.lowercased()
        return mode == "ipv6" ? "http://[fd00:ec2::254]" : "http://169.254.169.254"
    }

    public func load() async throws(UploadError) -> AWSCredentials? {
        guard !isDisabled else { return nil }
        guard let place = URL(string: endpoint), place.scheme == "http" || place.scheme == "https", place.host() != nil,
            place.hasValidPort
        else {
            throw UploadError(
                .misconfigured, "AWS_EC2_METADATA_SERVICE_ENDPOINT is no http URL: correct it, or leave it out")
        }
        let exchange = CredentialsExchange(client: client, place: "the instance's metadata service")
        guard let token = try await token(exchange) else { return nil }
        let headers: HTTPHeaders = ["x-aws-ec2-metadata-token": token]
        let url = endpoint + "/latest/meta-data/iam/security-credentials/"
        let roles = try await exchange.answer(to: .GET, url, headers: headers, withinSeconds: limitSeconds)
        // The instance has no role.
        if roles.status == 404 { return nil }
        let role = roles.text.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
        guard roles.status == 200, !role.isEmpty else { throw exchange.failure(roles) }
        let answer = try await exchange.answer(
            to: .GET, url + S3Encoding.component(role), headers: headers, withinSeconds: limitSeconds)
        return try IssuedCredentials.credentials(in: answer, of: exchange)
    }

    /// - Returns: nil where there is no such service, or it is turned off for this instance.
    private func token(_ exchange: CredentialsExchange) async throws(UploadError) -> String? {
        let headers: HTTPHeaders = ["x-aws-ec2-metadata-token-ttl-seconds": Self.sessionSeconds]
        let answer: CredentialsExchange.Answer
        do {
            answer = try await exchange.answer(
                to: .PUT, endpoint + "/latest/api/token", headers: headers, withinSeconds: limitSeconds)
        } catch {
            if error.code == .networkFailure, !hasAnswered.withLock({ $0 }) { return nil }
            throw error
        }
        if [403, 404, 405].contains(answer.status) { return nil }
        guard answer.status == 200, !answer.text.isEmpty, answer.text.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        else { throw exchange.failure(answer) }
        hasAnswered.withLock { $0 = true }
        return answer.text
    }
}
