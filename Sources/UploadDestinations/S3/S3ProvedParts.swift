import Crypto
import Foundation
import Uploads

/// The parts of an upload, from the first one on, whose ETags were seen to be the MD5 of what was sent: how many, and a digest of the ETags,
/// so that another worker does not take an ETag that it finds later for one that was seen.
struct S3ProvedParts: Hashable, Sendable {
    private(set) var count = 0
    /// The MD5 of the parts' MD5, one behind the other as text.
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

    /// As a state has it; none for what no driver writes.
    init(_ count: JSONValue?, digest: JSONValue?) {
        guard let count = count?.integer, (1...Int64(S3Limits.partCountMaximum)).contains(count),
            let digest = digest?.string, digest.utf8.count == 32
        else { return }
        self.count = Int(count)
        self.digest = digest
    }

    /// - Parameter md5: of the next part, in hexadecimal.
    mutating func append(_ md5: String) {
        count += 1
        hash.update(data: Data(md5.utf8))
        digest = Self.text(hash)
    }

    private static func text(_ hash: Insecure.MD5) -> String { Hexadecimal.text(of: hash.finalize()) }
}
