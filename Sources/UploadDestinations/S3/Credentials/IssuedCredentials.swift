import Foundation
import Uploads

/// The JSON answer of the metadata services of containers and instances.
struct IssuedCredentials: Decodable {
    var accessKeyID: String?
    var secretAccessKey: String?
    var token: String?
    var expiration: String?
    /// `Success`, or the name of an error in an answer with status 200.
    var code: String?

    enum CodingKeys: String, CodingKey {
        case accessKeyID = "AccessKeyId"
        case secretAccessKey = "SecretAccessKey"
        case token = "Token"
        case expiration = "Expiration"
        case code = "Code"
    }

    /// - Throws: `invalidResponse` for incomplete or invalid credentials.
    static func credentials(
        in answer: CredentialsExchange.Answer, of exchange: CredentialsExchange
    ) throws(UploadError) -> AWSCredentials {
        let issued = try? WireJSON.decode(Self.self, from: answer.body)
        guard answer.status == 200, let issued, issued.accessKeyID != nil, issued.secretAccessKey != nil else {
            throw exchange.failure(answer, reason: CredentialsExchange.errorName(issued?.code))
        }
        return try credentials(
            id: issued.accessKeyID, secret: issued.secretAccessKey, token: issued.token, expiration: issued.expiration,
            from: exchange.place)
    }

    /// - Parameter expiration: ISO 8601, with or without fractions of a second; nil for credentials that do not end.
    static func credentials(
        id: String?, secret: String?, token: String?, expiration: String?, from place: String
    ) throws(UploadError) -> AWSCredentials {
        let end = expiration.map { text in
            (try? Date(text, strategy: .iso8601))
                ?? (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
        }
        if case .some(.none) = end {
            throw UploadError(
                .invalidResponse, "\(place) gave credentials whose end is no date: check its address",
                retry: .afterBackoff)
        }
        guard
            let credentials = try AWSCredentials.checked(
                id: id, secret: secret, token: token, expiresAt: end ?? nil, from: place, retry: .afterBackoff)
        else {
            throw UploadError(.invalidResponse, "\(place) gave empty credentials: check its address")
        }
        return credentials
    }
}
