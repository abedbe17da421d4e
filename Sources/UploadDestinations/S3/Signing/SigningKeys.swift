import Crypto
import Foundation
import Synchronization

/// Keeps the signing keys of the last few credentials, each for a day, a region and a service: deriving one costs four HMACs, more than
/// the rest of a signature.
final class SigningKeys: Sendable {
    /// Credentials change seldom, and the day changes once: at most two of each are in use at a time.
    private static let countMaximum = 4

    private struct Entry {
        let secret: String
        let day: String
        let key: SymmetricKey
    }

    private let region: String
    private let service: String
    /// The latest key first.
    private let entries = Mutex<[Entry]>([])

    init(region: String, service: String) {
        self.region = region
        self.service = service
    }

    /// The number of kept keys.
    var count: Int { entries.withLock { $0.count } }

    func key(secret: String, day: String) -> SymmetricKey {
        let known = entries.withLock { $0.first { $0.day == day && $0.secret == secret }?.key }
        if let known { return known }
        let key = Self.derive(secret: secret, day: day, region: region, service: service)
        entries.withLock { entries in
            guard !entries.contains(where: { $0.day == day && $0.secret == secret }) else { return }
            entries.insert(Entry(secret: secret, day: day, key: key), at: 0)
            entries.removeLast(max(0, entries.count - Self.countMaximum))
        }
        return key
    }

    /// Derives a key ("Calculate the signature", AWS Signature Version 4).
    private static func derive(secret: String, day: String, region: String, service: String) -> SymmetricKey {
        var key = SymmetricKey(data: Array("AWS4\(secret)".utf8))
        for step in [day, region, service, "aws4_request"] {
            key = SymmetricKey(data: HMAC<SHA256>.authenticationCode(for: Array(step.utf8), using: key))
        }
        return key
    }
}
