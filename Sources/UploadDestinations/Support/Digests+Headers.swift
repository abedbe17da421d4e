import Foundation
import Uploads

extension Digests {
    /// The digests of the whole object in an answer: `Repr-Digest` (RFC 9530, section 3), `x-amz-checksum-crc64nvme`.
    /// - Parameter headers: names in lower case.
    init(headers: [String: String]) {
        self.init()
        if let value = headers["x-amz-checksum-crc64nvme"], let data = Data(base64Encoded: value) {
            crc64nvme = Hexadecimal.text(of: data)
        }
        for item in (headers["repr-digest"] ?? "").split(separator: ",") {
            let pair = item.trimmingCharacters(in: .whitespaces).split(separator: "=", maxSplits: 1)
            if pair.first == "sha-256",
                let value = pair.last?.trimmingCharacters(in: ["="]).trimmingCharacters(in: [":"]),
                let data = Data(base64Encoded: value)
            {
                sha256 = Hexadecimal.text(of: data)
            }
        }
    }

    /// The value of `Repr-Digest` (RFC 9530, section 3); nil where SHA-256 is not known.
    var representation: String? { sha256.flatMap(Data.init(hexadecimal:)).map { Self.field(sha256: $0) } }

    /// The value of `Content-Digest` or `Repr-Digest` for a SHA-256 (RFC 9530, section 2).
    static func field(sha256: Data) -> String { "sha-256=:\(sha256.base64EncodedString()):" }
}
