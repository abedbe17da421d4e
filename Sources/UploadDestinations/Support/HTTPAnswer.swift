import Foundation
import NIOHTTP1
import Uploads

/// The parts of an answer that may be kept and shown, and the meaning of headers that all drivers read.
enum HTTPAnswer {
    /// Headers that describe the stored object or help to find the request at the server. Never credentials or cookies.
    private static let names: Set<String> = [
        "cf-ray", "content-length", "content-md5", "content-type", "date", "etag", "last-modified", "location",
        "repr-digest", "request-id", "retry-after", "server", "x-correlation-id", "x-goog-generation", "x-goog-hash",
        "x-guploader-uploadid", "x-amz-checksum-crc32", "x-amz-checksum-crc32c", "x-amz-checksum-crc64nvme",
        "x-amz-checksum-sha1", "x-amz-checksum-sha256", "x-amz-id-2", "x-amz-request-id", "x-amz-version-id",
        "idempotency-replayed", "x-ms-request-id", "x-ms-version-id", "x-post-rate-limit-limit",
        "x-post-rate-limit-remaining", "x-post-rate-limit-reset", "x-ratelimit-clientlimit",
        "x-ratelimit-clientremaining", "x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset",
        "www-authenticate", "x-ratelimit-userlimit", "x-ratelimit-userremaining", "x-ratelimit-userreset",
        "x-request-id",
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

    /// The meaning of a status from 300 to 399 (RFC 9110, section 15.4). 300 and 304 are not redirects.
    /// - Parameter remedy: the remedy for a redirect.
    static func redirection(_ status: Int, _ remedy: String) -> StatusMeaning {
        switch status {
        case 300: (.rejected, "several files lie there, and it leaves the choice; use the URL of one of them", .never)
        case 304:
            (
                .invalidResponse,
                "it answered as if the request had asked whether the object has changed; look at the server and at the proxy "
                    + "before it", .afterBackoff
            )
        default: (.rejected, remedy, .never)
        }
    }

    /// The authentication schemes that a 401 asks for, as a hint behind the error's remedy.
    /// - Parameter canDigest: whether the driver supports Digest, and is not configured to use it.
    static func wanted(_ response: ServerResponse, canDigest: Bool = false) -> String {
        guard response.status == 401, let header = response.headers["www-authenticate"] else { return "" }
        var schemes: [String] = []
        for challenge in AuthenticationChallenge.parse(header) where !schemes.contains(challenge.scheme) {
            schemes.append(challenge.scheme)
        }
        guard !schemes.isEmpty else { return "" }
        let names = schemes.prefix(5).map { $0.prefix(20).capitalized }.joined(separator: " or ")
        let isDigest = canDigest && schemes.contains("digest") && !schemes.contains("basic")
        return " (it asks for \(names)\(isDigest ? ": give it authentication: digest" : ""))"
    }

    /// The seconds that `Retry-After` asks for: a number of seconds or an HTTP date (RFC 9110, sections 10.2.3 and 5.6.7).
    static func retryAfter(_ value: String?, now: Date = Date()) -> TimeInterval? {
        guard let value = value?.trimmingCharacters(in: .whitespaces), !value.isEmpty else { return nil }
        if value.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
            // The number may be too large for an integer: it is limited to a year.
            return TimeInterval(value).map { min($0, 365 * 86_400) }
        }
        return HTTPDate.parse(value, now: now).map { max(0, $0.timeIntervalSince(now)) }
    }
}
