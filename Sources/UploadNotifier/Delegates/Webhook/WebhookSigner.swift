import Crypto
import Foundation
import Uploads

/// Signs as Standard Webhooks says (specification, "Signature scheme"): HMAC-SHA256 over `id.timestamp.body`.
struct WebhookSigner: Sendable {
    private static let prefix = "whsec_"
    private let keys: [SymmetricKey]

    /// - Throws: `misconfigured`, without the secret.
    init(secrets: [String], of delegate: String) throws(UploadError) {
        guard !secrets.isEmpty else {
            throw UploadError(
                .misconfigured,
                "delegate '\(delegate)' has no secret; make one: echo whsec_$(head -c 32 /dev/urandom | base64)")
        }
        var keys: [SymmetricKey] = []
        for secret in secrets {
            guard secret.hasPrefix(Self.prefix),
                let key = Data(base64Encoded: String(secret.dropFirst(Self.prefix.count))),
                !key.isEmpty
            else {
                throw UploadError(
                    .misconfigured,
                    "a secret of delegate '\(delegate)' is none: it begins with 'whsec_', and the rest is base64")
            }
            keys.append(SymmetricKey(data: key))
        }
        self.keys = keys
    }

    /// The value of `webhook-signature`, one signature a key.
    func signature(id: String, timestamp: Int, body: Data) -> String {
        let signed = Data("\(id).\(timestamp).".utf8) + body
        return keys.map { key in
            "v1," + Data(HMAC<SHA256>.authenticationCode(for: signed, using: key)).base64EncodedString()
        }.joined(separator: " ")
    }
}
