import Foundation
import NIOHTTP1

extension SigV4Signer {
    /// How long a pre-signed URL may be valid, in seconds: at most seven days ("Authenticating Requests: Using Query Parameters").
    static let presignedSeconds = 1...604_800

    /// Signs by the query.
    /// - Parameters:
    ///   - request: all its headers are signed, except those of `CanonicalRequest.unsigned`: a client that uses the URL has to send the
    ///     same ones. The body is signed only if `x-amz-content-sha256` is among them.
    ///   - seconds: how long the URL is valid, within `presignedSeconds`. Temporary credentials may end it earlier.
    /// - Returns: the whole query with the signature, encoded, without `?`. It is a credential and must not be shown.
    func presign(
        _ request: SignableRequest, expiresInSeconds seconds: Int, credentials: AWSCredentials, at date: Date
    ) -> String {
        precondition(Self.presignedSeconds.contains(seconds), "a pre-signed URL is good for 1 s to 7 days")
        let date = SigV4Date(date)
        let payload = PayloadHash(header: request.headers.first(name: "x-amz-content-sha256"))
        let unsigned = CanonicalRequest(request, payload: payload)
        var request = request
        request.query.removeAll { Self.ownParameters.contains($0.name) }
        request.query += [
            .init("X-Amz-Algorithm", Self.algorithm),
            .init("X-Amz-Credential", "\(credentials.accessKeyID)/\(scope(date))"),
            .init("X-Amz-Date", date.timestamp),
            .init("X-Amz-Expires", String(seconds)),
            .init("X-Amz-SignedHeaders", unsigned.signedHeaders),
        ]
        if let token = credentials.sessionToken { request.query.append(.init("X-Amz-Security-Token", token)) }
        let canonical = CanonicalRequest(request, payload: payload)
        let signature = signature(of: canonical, secret: credentials.secretAccessKey, at: date)
        return S3Encoding.query(request.query) + "&X-Amz-Signature=\(signature)"
    }

    private static let ownParameters: Set<String> = [
        "X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Date", "X-Amz-Expires", "X-Amz-SignedHeaders",
        "X-Amz-Security-Token", "X-Amz-Signature",
    ]
}
