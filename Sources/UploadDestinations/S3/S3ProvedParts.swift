import Crypto
import Foundation
import Uploads

/// The leading parts of an upload whose ETags were seen to be the MD5 of the sent bytes: their number, and a digest of the ETags, so that
/// another worker can tell whether the ETags that it finds are the same.
struct S3ProvedParts: Hashable, Sendable {
    private(set) var count = 0
    /// The MD5 of the parts' MD5 texts in order.
    private(set) var digest = Self.text(Insecure.MD5())

    private var hash = Insecure.MD5()

    static func == (one: S3ProvedParts, other: S3ProvedParts) -> Bool {
        one.count == other.count && one.digest == other.digest
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        hasher.combine(digest)
    }

    init() {}

    /// Reads the values from a state; no parts for values that no driver writes.
    init(_ count: JSONValue?, digest: JSONValue?) {
        guard let count = count?.integer, (1...Int64(S3Limits.partCountMaximum)).contains(count),
            let digest = digest?.string, digest.utf8.count == 32
        else { return }
        self.count = Int(count)
        self.digest = digest
    }

    /// - Parameter md5: the MD5 of the next part, in hexadecimal.
    mutating func append(_ md5: String) {
        count += 1
        hash.update(data: Data(md5.utf8))
        digest = Self.text(hash)
    }

    private static func text(_ hash: Insecure.MD5) -> String { Hexadecimal.text(of: hash.finalize()) }
}
