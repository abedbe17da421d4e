import Crypto
import Foundation
public import Uploads

extension JobID {
    /// The id of every job that is enqueued under this key: a UUID of version 8 (RFC 9562, section 5.8) from the SHA-256 of namespace,
    /// queue and key. So all producers that use the key mean the same job.
    public init(namespace: String, queue: QueueName, idempotencyKey: String) {
        let text = ["longshore", namespace, queue.rawValue, idempotencyKey].joined(separator: "\0")
        var digits = Array(Hexadecimal.text(of: SHA256.hash(data: Array(text.utf8))).utf8.prefix(32))
        digits[12] = UInt8(ascii: "8")
        digits[16] = UInt8(ascii: "8")
        var groups: [String] = []
        var rest = digits[...]
        for length in [8, 4, 4, 4, 12] {
            groups.append(String(decoding: rest.prefix(length), as: UTF8.self))
            rest = rest.dropFirst(length)
        }
        self = JobID(groups.joined(separator: "-")) ?? JobID()
    }
}
