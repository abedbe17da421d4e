import Crypto
import Uploads

/// What a signature says about the body: the value of `x-amz-content-sha256`.
enum PayloadHash: Hashable, Sendable {
    /// The body is not part of the signature; a checksum in a header and TLS protect it for less than a second digest
    /// costs.
    case unsigned
    /// No body.
    case empty
    /// The body's SHA-256 as lower-case hexadecimal text.
    case sha256(String)

    /// The hash of a small body that is at hand.
    static func hash(of body: some Sequence<UInt8>) -> Self {
        .sha256(Hexadecimal.text(of: SHA256.hash(data: Array(body))))
    }

    /// What a request says of its body by `x-amz-content-sha256`; without it the body is not signed.
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
