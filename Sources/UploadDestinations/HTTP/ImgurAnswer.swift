import Foundation
import Uploads

/// An answer of Imgur's API 3 (https://apidocs.imgur.com): `{"data": …, "success": …, "status": …}` ("Data Models", "Basic").
struct ImgurAnswer {
    /// Largest image: 20 MB according to third parties; the API's documentation names no limit.
    static let imageBytesMaximum: Int64 = 20 << 20

    private let reply: HTTPReply
    private let response: ServerResponse
    private let body: JSONValue?

    init(_ reply: HTTPReply, _ response: ServerResponse) {
        self.reply = reply
        self.response = response
        body = JSONValue(json: reply.body)
    }

    func failure(at target: HTTPTarget, now: Date = Date()) -> UploadError? {
        let isSuccess = (200..<300).contains(reply.status)
        if isSuccess, body?["success"] == .bool(true) { return nil }
        // The image is stored although the rest of the answer is missing: sent again, it would be stored twice.
        if isSuccess, !reply.isWhole { return nil }
        guard !isSuccess || body?["success"] == .bool(false) else {
            return UploadError(
                .invalidResponse,
                "\(target.displayURL) answered \(reply.status) with something other than Imgur's API: check the url",
                response: response)
        }
        let (code, remedy, retry) = meaning(now: now)
        let text = text.map { " (\(target.secrets.blotted($0)))" } ?? ""
        return UploadError(
            code, "\(target.displayURL) answered \(status)\(text): \(remedy)", retry: retry, response: response)
    }

    /// The status in the body, where the HTTP status reports a failure as success.
    private var status: Int {
        if case .integer(let status)? = body?["status"], !(200..<300).contains(reply.status) || status >= 300 {
            return Int(clamping: status)
        }
        return reply.status
    }

    /// The API's error text, in one line.
    private var text: String? {
        let error = body?["data"]?["error"]
        guard let text = error?.string ?? error?["message"]?.string else { return nil }
        let scalars = text.unicodeScalars.filter { $0.properties.generalCategory != .control }
        return String(String.UnicodeScalarView(scalars.prefix(200)))
    }

    /// The meaning of "Response Codes".
    private func meaning(now: Date) -> StatusMeaning {
        let reset = pauseSeconds(now: now)
        let isTooFast = body?["data"]?["error"]?["code"] == .integer(429)
        switch status {
        case 429,
            400 where isTooFast,
            403 where reset != nil:
            return (
                .rateLimited, "its limits are used up for now; the file is sent again later",
                reset.map { .after(seconds: $0) } ?? .afterBackoff
            )
        case 400: return (.rejected, "it does not take this file or a field of it; see its answer", .never)
        case 401: return (.wrongCredentials, "it does not know the client; check the destination's clientID", .never)
        case 403:
            return (.accessDenied, "the clientID is not good for this; check the destination's clientID", .never)
        case 404: return (.destinationNotFound, "there is no such place; check the destination's url", .never)
        case 413: return (.rejected, "the file is too large for it; use another destination", .never)
        case 400..<500: return (.rejected, "it refuses the request; its answer may say why", .never)
        default: return (.serverFailure, "it failed; the file is sent again later", .afterBackoff)
        }
    }

    /// Seconds until each limit allows requests again ("Rate Limits"): `X-RateLimit-UserReset` is a time, `X-Post-Rate-Limit-Reset`
    /// counts the seconds. The application's limit is daily and has no such header, so the pause is an hour.
    private func pauseSeconds(now: Date) -> TimeInterval? {
        func isUsedUp(_ name: String) -> Bool { number(name).map { $0 <= 0 } ?? false }
        var pauses = [HTTPAnswer.retryAfter(reply.header("retry-after"), now: now)].compactMap { $0 }
        if isUsedUp("x-ratelimit-userremaining"), let time = number("x-ratelimit-userreset") {
            pauses.append(max(0, time - now.timeIntervalSince1970))
        }
        if isUsedUp("x-post-rate-limit-remaining"), let seconds = number("x-post-rate-limit-reset") {
            pauses.append(max(0, seconds))
        }
        if isUsedUp("x-ratelimit-clientremaining") { pauses.append(3600) }
        return pauses.max()
    }

    private func number(_ name: String) -> TimeInterval? {
        reply.header(name).flatMap { TimeInterval($0) }.flatMap { $0.isFinite ? $0 : nil }
    }
}
