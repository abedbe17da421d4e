import AsyncHTTPClient
import Foundation
import NIOHTTP1
import Uploads
import XMLCoder

/// A role that is assumed with a token of another identity provider (`AssumeRoleWithWebIdentity`, AWS STS API Reference).
struct WebIdentityRole: Sendable {
    /// Time limit of each try.
    static let limitSeconds: TimeInterval = 10
    private static let version = "2011-06-15"

    let arn: String
    /// The file is read for each request, because the token is replaced before it ends.
    let tokenFile: String
    let session: String?
    let endpoint: STSEndpoint
    let client: HTTPClient

    private struct Answer: Decodable {
        struct Result: Decodable {
            var credentials: Credentials
            enum CodingKeys: String, CodingKey { case credentials = "Credentials" }
        }
        struct Credentials: Decodable {
            var id: String
            var secret: String
            var token: String
            var expiration: String
            enum CodingKeys: String, CodingKey {
                case id = "AccessKeyId"
                case secret = "SecretAccessKey"
                case token = "SessionToken"
                case expiration = "Expiration"
            }
        }
        var result: Result
        enum CodingKeys: String, CodingKey { case result = "AssumeRoleWithWebIdentityResult" }
    }

    private struct Refusal: Decodable {
        struct Error: Decodable {
            var code: String
            enum CodingKeys: String, CodingKey { case code = "Code" }
        }
        var error: Error
        enum CodingKeys: String, CodingKey { case error = "Error" }
    }

    func assume() async throws(UploadError) -> AWSCredentials {
        guard let url = endpoint.url else {
            throw UploadError(
                .misconfigured, "the role \(arn) cannot be assumed without a region: set AWS_REGION",
                retry: .afterBackoff)
        }
        guard let token = try SmallFile.read(tokenFile)?.trimmingCharacters(in: .whitespacesAndNewlines), !token.isEmpty
        else {
            throw UploadError(
                .misconfigured,
                "the role \(arn) needs a web identity, but \(tokenFile) is missing or empty: check that the token is mounted there",
                retry: .afterBackoff)
        }
        let form = S3Encoding.query([
            .init("Action", "AssumeRoleWithWebIdentity"), .init("Version", Self.version), .init("RoleArn", arn),
            .init("RoleSessionName", session ?? "longshore"), .init("WebIdentityToken", token),
        ])
        let exchange = CredentialsExchange(client: client, place: "the security token service for the role \(arn)")
        let headers: HTTPHeaders = [
            "content-type": "application/x-www-form-urlencoded; charset=utf-8", "accept": "application/xml",
        ]
        let answer = try await exchange.answer(
            to: .POST, url, headers: headers, body: form, withinSeconds: Self.limitSeconds)
        guard answer.status == 200 else { throw refusal(answer, exchange) }
        guard let given = try? XMLDecoder().decode(Answer.self, from: answer.body).result.credentials else {
            throw exchange.failure(answer, reason: "unreadable")
        }
        return try IssuedCredentials.credentials(
            id: given.id, secret: given.secret, token: given.token, expiration: given.expiration, from: exchange.place)
    }

    /// The error for a refusal ("Errors" in the API's reference). Each is worth a retry, because tokens are replaced in their file and
    /// trust may be set up late.
    private func refusal(_ answer: CredentialsExchange.Answer, _ exchange: CredentialsExchange) -> UploadError {
        let name = (try? XMLDecoder().decode(Refusal.self, from: answer.body))?.error.code
        let meaning: (UploadError.Code, String)? =
            switch name {
            case "ExpiredTokenException", "InvalidIdentityToken":
                (
                    .wrongCredentials,
                    "the token in \(tokenFile) has expired or is not trusted: check the program that renews it"
                )
            case "AccessDenied", "IDPRejectedClaim":
                (.accessDenied, "the role's trust policy does not let this identity in: check it")
            case "Throttling", "ThrottlingException": (.rateLimited, "it asks for fewer requests")
            case "IDPCommunicationError": (.serverFailure, "it could not reach the identity provider")
            case "RegionDisabledException": (.misconfigured, "the region is not enabled: set AWS_REGION to another")
            default: nil
            }
        guard let (code, remedy) = meaning, let name else {
            return exchange.failure(answer, reason: CredentialsExchange.errorName(name))
        }
        return UploadError(code, "\(exchange.place) answered \(name): \(remedy)", retry: .afterBackoff)
    }
}
