import Crypto
import Uploads

/// The value of `x-amz-content-sha256`: how the signature covers the body.
enum PayloadHash: Hashable, Sendable {
    /// The signature does not cover the body. A checksum in a header and TLS protect it, which costs less than a second digest.
    case unsigned
    /// There is no body.
    case empty
    /// The body's SHA-256 as lower-case hexadecimal text.
    case sha256(String)

    /// The hash of a small body in memory.
    static func hash(of body: some Sequence<UInt8>) -> Self {
        .sha256(Hexadecimal.text(of: SHA256.hash(data: Array(body))))
    }

    /// Reads the request's `x-amz-content-sha256`; without that header the body is not signed.
    init(header: String?) {
        self = header.flatMap { $0 == Self.unsigned.text ? nil : .sha256($0) } ?? .unsigned
    }

    var text: String {
        switch self {
        case .unsigned: "UNSIGNED-PAYLOAD"
        case .empty: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        case .sha256(let text): text
        }
    }
}
