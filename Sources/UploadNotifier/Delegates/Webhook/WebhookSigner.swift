import Crypto
import Foundation
import Uploads

/// Signs according to Standard Webhooks (specification, "Signature scheme"): HMAC-SHA256 over `id.timestamp.body`.
struct WebhookSigner: Sendable {
    private let keys: [(key: SymmetricKey, secret: WebhookSecret)]

    /// - Throws: `misconfigured`, without the secret.
    init(secrets: [WebhookSecret], of delegate: String) throws(UploadError) {
        guard !secrets.isEmpty else {
            throw UploadError(
                .misconfigured,
                "delegate '\(delegate)' has no secret; make one: echo whsec_$(head -c 32 /dev/urandom | base64)")
        }
        if let problem = secrets.lazy.compactMap(\.problem).first {
            throw UploadError(.misconfigured, "a secret of delegate '\(delegate)' is invalid: \(problem)")
        }
        keys = secrets.map { ($0.key, $0) }
    }

    /// The value of `webhook-signature`, one signature for each key that signs at that time.
    func signature(id: String, timestamp: Int, body: Data) -> String {
        let signed = Data("\(id).\(timestamp).".utf8) + body
        let time = Date(timeIntervalSince1970: TimeInterval(timestamp))
        return keys.filter { $0.secret.signs(at: time) }.map { key in
            "v1," + Data(HMAC<SHA256>.authenticationCode(for: signed, using: key.key)).base64EncodedString()
        }.joined(separator: " ")
    }
}
