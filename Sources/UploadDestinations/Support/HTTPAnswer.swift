import Foundation
import NIOHTTP1
import Uploads

/// What of an answer may be kept and shown.
enum HTTPAnswer {
    /// Headers that say what was stored, or help to find the request at the server. Never credentials or cookies.
    private static let names: Set<String> = [
        "cf-ray", "content-length", "content-md5", "content-type", "date", "etag", "last-modified", "location",
        "repr-digest", "request-id", "retry-after", "server", "x-correlation-id", "x-goog-generation", "x-goog-hash",
        "x-guploader-uploadid", "x-amz-checksum-crc32", "x-amz-checksum-crc32c", "x-amz-checksum-crc64nvme",
        "x-amz-checksum-sha1", "x-amz-checksum-sha256", "x-amz-id-2", "x-amz-request-id", "x-amz-version-id",
        "idempotency-replayed", "x-ms-request-id", "x-ms-version-id", "x-post-rate-limit-limit",
        "x-post-rate-limit-remaining", "x-post-rate-limit-reset", "x-ratelimit-clientlimit",
        "x-ratelimit-clientremaining", "x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset",
        "x-ratelimit-userlimit", "x-ratelimit-userremaining", "x-ratelimit-userreset", "x-request-id",
    ]

    /// The longest value that is kept, in bytes.
    private static let valueBytesMaximum = 1024

    static func chosen(_ headers: HTTPHeaders) -> [String: String] {
        var chosen: [String: String] = [:]
        for (name, value) in headers where names.contains(name.lowercased()) {
            guard value.utf8.count <= valueBytesMaximum else { continue }
            let name = name.lowercased()
            let shown = name == "location" ? DestinationReference.redact(value) : value
            chosen[name] = chosen[name].map { "\($0), \(shown)" } ?? shown
        }
        return chosen
    }

    /// The seconds that `Retry-After` asks for: a number of seconds or an HTTP date (RFC 9110, sections 10.2.3 and 5.6.7).
    static func retryAfter(_ value: String?, now: Date = Date()) -> TimeInterval? {
        guard let value = value?.trimmingCharacters(in: .whitespaces), !value.isEmpty else { return nil }
        if value.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
            // More digits than a number has: very long.
            return TimeInterval(value).map { min($0, 365 * 86_400) }
        }
        return HTTPDate.parse(value, now: now).map { max(0, $0.timeIntervalSince(now)) }
    }
}
