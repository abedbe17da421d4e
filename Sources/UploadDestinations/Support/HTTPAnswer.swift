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

    /// What a status from 300 to 399 means (RFC 9110, section 15.4). Of these 300 and 304 are no redirects.
    /// - Parameter remedy: of a redirect.
    static func redirection(_ status: Int, _ remedy: String) -> StatusMeaning {
        switch status {
        case 300: (.rejected, "several files lie there, and it leaves the choice; use the URL of one of them", .never)
        case 304:
            (
                .invalidResponse,
                "it takes the request for a question whether something has changed, which it was not; look at the server and at what "
                    + "stands before it", .afterBackoff
            )
        default: (.rejected, remedy, .never)
        }
    }

    /// What a 401 wants, to go behind the sentence that says so.
    /// - Parameter canDigest: whether the driver answers Digest, and has not done so.
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
            // More digits than a number has: very long.
            return TimeInterval(value).map { min($0, 365 * 86_400) }
        }
        return HTTPDate.parse(value, now: now).map { max(0, $0.timeIntervalSince(now)) }
    }
}
