import Crypto
import Foundation
import NIOHTTP1
import Uploads

/// AWS Signature Version 4 with S3's rules: the path is signed in the form in which it is sent, encoded once and not normalised.
///
/// A value without a clock and without I/O; copies share the day's signing keys.
struct SigV4Signer: Sendable {
    static let algorithm = "AWS4-HMAC-SHA256"

    let region: String
    let service: String
    let keys: SigningKeys

    init(region: String, service: String = "s3") {
        self.region = region
        self.service = service
        keys = SigningKeys(region: region, service: service)
    }

    /// Signs by headers.
    /// - Parameters:
    ///   - request: the request with every header that is to be signed. Headers that this method adds are ignored there.
    ///   - date: the server's time as far as known; the server refuses a time that is more than 15 minutes off.
    /// - Returns: headers that replace those of the same names: `Authorization`, `x-amz-date`, for S3 `x-amz-content-sha256`, and
    ///   `x-amz-security-token` with temporary credentials.
    func sign(
        _ request: SignableRequest, payload: PayloadHash, credentials: AWSCredentials, at date: Date
    ) -> HTTPHeaders {
        let date = SigV4Date(date)
        var added: HTTPHeaders = ["x-amz-date": date.timestamp]
        if service == "s3" { added.add(name: "x-amz-content-sha256", value: payload.text) }
        if let token = credentials.sessionToken { added.add(name: "x-amz-security-token", value: token) }
        var request = request
        for name in ["x-amz-date", "x-amz-content-sha256", "x-amz-security-token"] {
            request.headers.remove(name: name)
        }
        request.headers.add(contentsOf: added)
        let canonical = CanonicalRequest(request, payload: payload)
        let signature = signature(of: canonical, secret: credentials.secretAccessKey, at: date)
        added.add(
            name: "Authorization",
            value: "\(Self.algorithm) Credential=\(credentials.accessKeyID)/\(scope(date)), "
                + "SignedHeaders=\(canonical.signedHeaders), Signature=\(signature)")
        return added
    }

    /// The scope of a signing key: day, region and service.
    func scope(_ date: SigV4Date) -> String { "\(date.day)/\(region)/\(service)/aws4_request" }

    func signature(of request: CanonicalRequest, secret: String, at date: SigV4Date) -> String {
        let text = [Self.algorithm, date.timestamp, scope(date), request.hash].joined(separator: "\n")
        let key = keys.key(secret: secret, day: date.day)
        return Hexadecimal.text(of: HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: key))
    }
}
