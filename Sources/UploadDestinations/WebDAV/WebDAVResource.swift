import Foundation
import NIOHTTP1
import Uploads

/// What a server says of what lies under a name.
struct WebDAVResource: Sendable {
    var name: String?
    var isFolder: Bool
    /// Bytes.
    var size: Int64?
    var etag: String?
    var modifiedAt: Date?
    /// Whose it is, where the server keeps that.
    var mark: JobMark?
    /// Where the server tells any.
    var digests = Digests()

    /// As PROPFIND tells it.
    /// - Returns: nil for what is not there.
    init?(_ response: WebDAVMultistatus.Response) {
        if let status = response.status.flatMap(WebDAVMultistatus.code), status >= 300 { return nil }
        let found = response.propstats.filter { stat in
            stat.status.flatMap(WebDAVMultistatus.code).map { (200..<300).contains($0) } ?? true
        }.compactMap(\.prop)
        name = response.name
        isFolder = found.contains { $0.resourcetype?.collection != nil }
        size = found.compactMap(\.getcontentlength).first.flatMap { Int64($0) }
        etag = found.compactMap(\.getetag).first.flatMap(Self.etag)
        modifiedAt = found.compactMap(\.getlastmodified).first.flatMap { HTTPDate.parse($0, now: Date()) }
        if let job = found.compactMap(\.job).first, let time = found.compactMap(\.enqueuedAt).first, !job.isEmpty {
            mark = JobMark(job: job, enqueuedAt: time)
        }
    }

    /// As HEAD tells it.
    init(_ reply: HTTPReply) {
        // To the same with a slash at its end.
        isFolder = (300..<400).contains(reply.status)
        size = reply.header("content-length").flatMap { Int64($0) }
        etag = reply.etag.flatMap(Self.etag)
        modifiedAt = reply.header("last-modified").flatMap { HTTPDate.parse($0, now: Date()) }
        digests = Digests(headers: reply.response.headers)
    }

    /// Some servers leave out the quotes in properties.
    private static func etag(_ text: String) -> String? {
        let text = text.trimmingCharacters(in: .whitespaces)
        // With its quotes it has to fit messages.
        guard !text.isEmpty, text.unicodeScalars.count <= WireLimits.nameLengthMaximum - 2 else { return nil }
        return text.hasSuffix("\"") ? text : "\"\(text)\""
    }

    /// Whether two tags may be of the same contents: the weak comparison (RFC 9110, section 8.8.3.2), for some servers call a file's
    /// tag weak as long as it is young.
    static func isSame(_ left: String?, _ right: String?) -> Bool {
        guard let left = left.flatMap(etag), let right = right.flatMap(etag) else { return false }
        return left.trimmingPrefix("W/") == right.trimmingPrefix("W/")
    }
}
